import { misuse } from '../../errors/flue-error.ts';
import { claim, frameOf } from './frame.ts';

/** Adds a text to the instruction document, after the returned string and in call order (INSTR-01, AGENT-05). */
export function useInstruction(text: string): void {
  const frame = frameOf('useInstruction');
  if (typeof text !== 'string' || text.trim() === '') {
    throw misuse('useInstruction() takes a text that is not blank.', 'FLUE2402');
  }
  claim(frame, 'useInstruction');
  frame.instructions.push(text);
}
