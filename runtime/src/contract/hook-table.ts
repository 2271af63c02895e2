/**
 * What each hook may do and where, as data (HOOK-05). The runtime enforces it while it renders; the compiler's hook
 * rules read the same rows, so both agree on every hook.
 */
export interface HookRow {
  /** how often one render may reach it */
  readonly perRender: 'exactly-once' | 'at-most-once' | 'unique-names' | 'any';
  /** what may differ between two renders of one attempt */
  readonly acrossRenders: 'required' | 'presence-may-flip' | 'free' | 'identity-invariant';
  /** from when its value holds */
  readonly scope: 'attempt' | 'turn' | 'render' | 'instance' | 'seam';
  /** in the frame of a delegate; a text is the advice that its error gives */
  readonly subagent: 'works' | { readonly throws: string };
  /** what its name argument names, when it has one */
  readonly names?: 'tool' | 'skill' | 'subagent' | 'state' | 'data part';
  /** whether the order of two calls shows to the model or to the author (FLUE2202) */
  readonly ordered?: true;
  /** the writer that it returns: position in the returned value; `call` when the value itself is the writer */
  readonly writer?: 'second' | 'call';
}

const toDefinition = 'Set it on the subagent definition instead.';
const toParent = 'Declare it in the parent agent instead.';

export const HOOKS = {
  useModel: {
    perRender: 'exactly-once',
    acrossRenders: 'required',
    scope: 'attempt',
    subagent: { throws: `Its model comes from the definition or the parent. ${toDefinition}` },
  },
  useSandbox: {
    perRender: 'at-most-once',
    acrossRenders: 'presence-may-flip',
    scope: 'attempt',
    subagent: { throws: `A delegate shares its parent's environment. ${toParent}` },
  },
  useTool: {
    perRender: 'unique-names',
    acrossRenders: 'free',
    scope: 'turn',
    subagent: 'works',
    names: 'tool',
    ordered: true,
  },
  useSkill: {
    perRender: 'unique-names',
    acrossRenders: 'free',
    scope: 'turn',
    subagent: 'works',
    names: 'skill',
    ordered: true,
  },
  useSubagent: {
    perRender: 'unique-names',
    acrossRenders: 'free',
    scope: 'turn',
    subagent: 'works',
    names: 'subagent',
    ordered: true,
  },
  useInstruction: {
    perRender: 'any',
    acrossRenders: 'free',
    scope: 'turn',
    subagent: 'works',
    ordered: true,
  },
  usePersistentState: {
    perRender: 'unique-names',
    acrossRenders: 'free',
    scope: 'render',
    subagent: { throws: `A delegate has no durable state of its own. ${toParent}` },
    names: 'state',
    writer: 'second',
  },
  useInitialData: { perRender: 'any', acrossRenders: 'free', scope: 'instance', subagent: 'works' },
  useDelivery: { perRender: 'any', acrossRenders: 'free', scope: 'render', subagent: 'works' },
  useDispatchMessage: {
    perRender: 'any',
    acrossRenders: 'free',
    scope: 'instance',
    subagent: { throws: `A delegate has no instance to send to. ${toParent}` },
    writer: 'call',
  },
  useDataWriter: {
    perRender: 'unique-names',
    acrossRenders: 'identity-invariant',
    scope: 'attempt',
    subagent: { throws: `Clients never see a delegate. ${toParent}` },
    names: 'data part',
    writer: 'call',
  },
  useAgentStart: {
    perRender: 'any',
    acrossRenders: 'free',
    scope: 'seam',
    subagent: { throws: `A delegate has no seams. ${toParent}` },
    ordered: true,
  },
  useAgentFinish: {
    perRender: 'any',
    acrossRenders: 'free',
    scope: 'seam',
    subagent: { throws: `A delegate has no seams. ${toParent}` },
    ordered: true,
  },
  useResponseStart: {
    perRender: 'any',
    acrossRenders: 'free',
    scope: 'seam',
    subagent: { throws: `A delegate has no seams. ${toParent}` },
    ordered: true,
  },
  useResponseFinish: {
    perRender: 'any',
    acrossRenders: 'free',
    scope: 'seam',
    subagent: { throws: `A delegate has no seams. ${toParent}` },
    ordered: true,
  },
} as const satisfies Record<string, HookRow>;

export type HookName = keyof typeof HOOKS;

export function isHookName(name: string): name is HookName {
  return Object.hasOwn(HOOKS, name);
}
