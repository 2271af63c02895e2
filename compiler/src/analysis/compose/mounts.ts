import type { BindingId, Call, Module, Range, Value } from '../program.ts';
import type { Agent } from './agents.ts';
import { type Field, fieldsOf } from './fields.ts';
import type { Project } from './project.ts';
import { calledApi, type Term } from './term.ts';

/** A place where an application serves an agent under a path that is written out. */
export interface Mount {
  readonly agent: Agent;
  readonly module: Module;
  readonly range: Range;
  readonly path: string;
  /** false: provably nobody asks who is there (TRTE-04); undefined: not known */
  readonly authorized: boolean | undefined;
}

/** The generated helper (TRTE-02), wherever its folder lies. */
const ROUTES = /(?:^|\/)routes(?:\.[cm]?[jt]s)?$/;

export function mountsOf(project: Project): Mount[] {
  return project.modules.flatMap((module) =>
    candidatesIn(module).flatMap((call) => [
      ...routeOf(project, module, call),
      ...entriesOf(project, module, call),
    ]),
  );
}

/** Those that the generated helper makes, without `route()`. */
export function helperMountsOf(project: Project): Mount[] {
  return project.modules.flatMap((module) =>
    candidatesIn(module).flatMap((call) => entriesOf(project, module, call)),
  );
}

const candidates = new WeakMap<Module, readonly Call[]>();

/** Calls that look like a mount. Few modules have one, and all of them are asked after every edit. */
function candidatesIn(module: Module): readonly Call[] {
  const known =
    candidates.get(module) ??
    module.calls.filter(
      ({ callee, args }) =>
        args.length === 2 && (callee.k === 'member' ? callee.name === 'route' : callee.k === 'ref'),
    );
  candidates.set(module, known);
  return known;
}

/** Agents that some router is made for, at a known path or not. */
export function servedAgents(project: Project): ReadonlySet<Agent> {
  const routed = project.apiCalls.flatMap(({ module, call, name }) => {
    const value = name === 'createAgentRouter' ? call.args[0]?.value : undefined;
    const agent = value && agentOf(project, project.linker.evaluator.evaluate(module, value));
    return agent ? [agent] : [];
  });
  return new Set([...routed, ...mountsOf(project).map(({ agent }) => agent)]);
}

/** `app.route('/a', createAgentRouter(Agent))`. */
function routeOf(project: Project, module: Module, call: Call): Mount[] {
  const { evaluator } = project.linker;
  const { callee, args } = call;
  if (callee.k !== 'member' || callee.name !== 'route' || args.length !== 2 || args[1]!.spread) return [];
  const path = evaluator.evaluate(module, args[0]!.value);
  const router = evaluator.evaluate(module, args[1]!.value);
  if (path.t !== 'literal' || typeof path.value !== 'string') return [];
  if (router.t !== 'call' || calledApi(router) !== 'createAgentRouter') return [];
  const [target] = evaluator.argumentsOf(router.module, router.call, router.env);
  const agent = target && agentOf(project, target);
  if (!agent) return [];
  const { value } = args[1]!;
  const isOwnRouter = value.k === 'call';
  const covered = isCovered(project, module, callee.object, path.value, call);
  const authorized = covered === false && !isOwnRouter ? undefined : covered;
  return [{ agent, module, range: call, path: path.value, authorized }];
}

/** `mountAgents(app, { Agent: '/a' })`. */
function entriesOf(project: Project, module: Module, call: Call): Mount[] {
  const { evaluator } = project.linker;
  if (call.callee.k !== 'ref' || call.args.length !== 2) return [];
  const imported = module.bindings[call.callee.binding]!.import;
  if (imported?.name !== 'mountAgents' || !ROUTES.test(imported.specifier)) return [];
  const mounts = evaluator.evaluate(module, call.args[1]!.value);
  if (mounts.t !== 'object') return [];
  return [...fieldsOf(evaluator, mounts).byName.values()].flatMap((field) => {
    const agent = agentByAccessor(project, field.key);
    const entry = entryOf(project, field);
    if (!agent || !entry) return [];
    const covered = isCovered(project, module, call.args[0]!.value, entry.path, call);
    const authorized = entry.authorized || covered;
    return [{ agent, module: field.module, range: field.keyRange, path: entry.path, authorized }];
  });
}

function entryOf(project: Project, { term }: Field): { path: string; authorized: boolean } | undefined {
  if (term.t === 'literal' && typeof term.value === 'string') return { path: term.value, authorized: false };
  if (term.t !== 'object') return undefined;
  const { byName, closed } = fieldsOf(project.linker.evaluator, term);
  const path = byName.get('path')?.term;
  if (path?.t !== 'literal' || typeof path.value !== 'string') return undefined;
  // `public: true` is the author's word that nobody needs to be asked.
  const open = byName.get('public')?.term;
  const isPublic = open !== undefined && (open.t !== 'literal' || open.value === true);
  return { path: path.value, authorized: !closed || byName.has('authorize') || isPublic };
}

export function agentOf(project: Project, term: Term): Agent | undefined {
  if (term.t !== 'function') return undefined;
  return project.agents.find(({ module, fn }) => module === term.module && fn.id === term.fn);
}

/** By the function's name, or by the identity where names collide (TCLI-04). */
function agentByAccessor(project: Project, accessor: string): Agent | undefined {
  const named = project.agents.filter(({ binding }) => binding.name === accessor);
  if (named.length === 1) return named[0];
  return project.agents.find(({ identity }) => pascalCase(identity) === accessor);
}

function pascalCase(identity: string): string {
  return identity.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Whether middleware of the same application stands before the mount and covers its path. Known only of an application
 * that is made here and handed to nobody: others may be mounted behind somebody else's middleware.
 */
function isCovered(
  project: Project,
  module: Module,
  app: Value,
  path: string,
  mount: Call,
): boolean | undefined {
  if (app.k !== 'ref') return undefined;
  const { init, assigned } = module.bindings[app.binding]!;
  const made = init?.k === 'call' ? module.calls[init.call]! : undefined;
  if (assigned || !made?.isNew) return undefined;
  const { evaluator } = project.linker;
  for (const call of module.calls) {
    if (call.start > mount.start || call.callee.k !== 'member' || !isRef(call.callee.object, app.binding))
      continue;
    if (call.callee.name !== 'use') continue;
    const [first] = evaluator.argumentsOf(module, call, new Map());
    if (first?.t !== 'literal' || typeof first.value !== 'string') {
      if (first?.t === 'function' || call.args.length === 1) return true;
      return undefined;
    }
    if (covers(first.value, path)) return true;
  }
  return isHandedOn(project, module, app.binding, mount) ? undefined : false;
}

/** `/a/*` and `*` cover `/a` and everything below. */
function covers(pattern: string, path: string): boolean {
  if (!pattern.endsWith('*')) return false;
  const prefix = pattern.slice(0, -1).replace(/\/$/, '');
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
}

/** Given to a call, or exported by anything but the entry, which is the outermost application. */
function isHandedOn({ settings }: Project, module: Module, binding: BindingId, mount: Call): boolean {
  const isGiven = module.calls.some(
    (call) =>
      call !== mount && call.args.some(({ value }) => isRef(value, binding)) && !isMount(module, call),
  );
  const isExported = module.exports.some(
    (entry) =>
      (entry.kind === 'local' && entry.binding === binding) ||
      (entry.kind === 'value' && isRef(entry.value, binding)),
  );
  return isGiven || (isExported && module.path !== settings.appEntry);
}

/** Another use of the generated helper, which gives the application back as it is. */
function isMount(module: Module, { callee }: Call): boolean {
  return callee.k === 'ref' && module.bindings[callee.binding]!.import?.name === 'mountAgents';
}

function isRef(value: Value, binding: BindingId): boolean {
  return value.k === 'ref' && value.binding === binding;
}
