import { setImmediate } from 'node:timers/promises';

/** The parts of a just-bash instance by which scripts can be rewritten before they run. */
export interface Weavable {
  registerCommand(command: PauseCommand): void;
  registerTransformPlugin(plugin: {
    readonly name: string;
    transform(context: { ast: unknown }): { ast: unknown };
  }): void;
}

interface PauseCommand {
  readonly name: string;
  readonly trusted: boolean;
  execute(
    args: string[],
    context: { readonly env: ReadonlyMap<string, string> },
  ): Promise<{ stdout: string; stderr: string; exitCode: number }>;
}

const NAME = '__flue_pause';
/** How long a script may compute before the rest of the process gets a turn, milliseconds. */
const PAUSE_AFTER_MS = 10;
/** Statements in a row without a loop between two pauses. */
const RUN_LENGTH = 50;

/** Taken now: a just-bash that defends itself blocks the global one while its scripts run. */
const clock = performance.now.bind(performance);

const woven = new WeakSet<object>();

/**
 * Makes scripts of an instance give the process a turn while they compute (VBSH-05): the interpreter awaits without ever
 * leaving the current turn of the event loop, so a busy script would hold up everything else. A pause stands at the
 * start of each loop body and function body, and now and then in a long list of statements.
 */
export function weavePauses(instance: object): void {
  if (woven.has(instance) || !isWeavable(instance)) return;
  woven.add(instance);
  instance.registerCommand(pauseCommand());
  instance.registerTransformPlugin({
    name: 'flue-pauses',
    transform: ({ ast }) => ({ ast: withPauses(ast, 'statements') }),
  });
}

function isWeavable(instance: object): instance is Weavable {
  const { registerCommand, registerTransformPlugin } = instance as Partial<Weavable>;
  return typeof registerCommand === 'function' && typeof registerTransformPlugin === 'function';
}

function pauseCommand(): PauseCommand {
  let last = clock();
  return {
    name: NAME,
    trusted: true,
    async execute(_args, { env }) {
      if (clock() - last > PAUSE_AFTER_MS) {
        await setImmediate();
        last = clock();
      }
      // `$?` reads as if nothing stood here. Under `set -e` a failure that was let pass must not end the script now.
      const strict = (env.get('SHELLOPTS') ?? '').split(':').includes('errexit');
      return { stdout: '', stderr: '', exitCode: strict ? 0 : Number(env.get('?') ?? 0) };
    },
  };
}

const LOOPS = new Set(['For', 'CStyleFor', 'While', 'Until']);

/** The syntax tree with pauses; `key` is where the node stands in its parent. */
function withPauses(node: unknown, key: string): unknown {
  if (Array.isArray(node)) {
    const items = node.map((item) => withPauses(item, key));
    return isStatement(node[0]) ? spaced(items) : items;
  }
  if (typeof node !== 'object' || node === null) return node;
  const fields = Object.entries(node).map(([name, value]) => [name, withPauses(value, name)] as const);
  const copy = Object.fromEntries(fields) as Record<string, unknown>;
  const starts = LOOPS.has(String(copy.type)) || (key === 'body' && copy.type === 'Group');
  if (starts && Array.isArray(copy.body)) copy.body = [pauseStatement(), ...copy.body];
  return copy;
}

function isStatement(node: unknown): boolean {
  return (node as { type?: unknown } | undefined)?.type === 'Statement';
}

function spaced(statements: readonly unknown[]): unknown[] {
  return statements.flatMap((one, index) =>
    index > 0 && index % RUN_LENGTH === 0 ? [pauseStatement(), one] : [one],
  );
}

function pauseStatement(): object {
  const name = { type: 'Word', parts: [{ type: 'Literal', value: NAME }] };
  const command = { type: 'SimpleCommand', assignments: [], name, args: [], redirections: [] };
  const pipeline = { type: 'Pipeline', commands: [command], negated: false };
  return { type: 'Statement', pipelines: [pipeline], operators: [], background: false };
}
