import { checkCall } from './invariants/calls.ts';
import { checkHost } from './invariants/host.ts';
import { checkMove } from './invariants/moves.ts';
import { checkCompaction, checkData, checkResources } from './invariants/output.ts';
import { checkBirth, checkConversation, checkDelivery } from './invariants/place.ts';
import { checkQuiet } from './invariants/quiet.ts';
import { checkSettlement } from './invariants/settlement.ts';
import { checkContent, checkDraft, checkStop, checkTurn } from './invariants/turns.ts';
import { checkSeam, checkSignal } from './invariants/units.ts';
import type { Step } from './step.ts';

/** RCD-51 to RCD-67 in their order; the first one broken gives the reason. RCD-50 is judged before any of them. */
export const INVARIANTS: readonly ((step: Step) => void)[] = [
  checkBirth,
  checkConversation,
  checkDelivery,
  checkMove,
  checkHost,
  checkTurn,
  checkDraft,
  checkContent,
  checkStop,
  checkCall,
  checkQuiet,
  checkSignal,
  checkSeam,
  checkData,
  checkResources,
  checkCompaction,
  checkSettlement,
];
