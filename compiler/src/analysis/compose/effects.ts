import type { Call, Module } from '../program.ts';
import type { Evaluator } from './evaluate.ts';
import { calledApi, type Term } from './term.ts';

export type Effect = 'network' | 'files' | 'process' | 'send' | 'model' | 'sandbox';

const FILE_WRITES =
  /^(?:promises\.)?(?:appendFile|chmod|chown|copyFile|cp|link|mkdir|mkdtemp|rename|rm|rmdir|symlink|truncate|unlink|utimes|write|writeFile|createWriteStream)(?:Sync)?$/;
const SANDBOX_WRITES = new Set(['writeFile', 'exec', 'mkdir', 'rm', 'rename', 'copy', 'deleteFile']);

/** A call that changes or asks something outside the process, as far as its callee is a known one. */
export function effectOf(evaluator: Evaluator, module: Module, call: Call): Effect | undefined {
  const callee = evaluator.evaluate(module, call.callee);
  switch (callee.t) {
    case 'api':
      return callee.name === 'dispatch' ? 'send' : undefined;
    case 'external':
      return effectOfExternal(callee);
    case 'member':
      if (callee.name === 'dispatch' && calledApi(callee.object) === 'init') return 'send';
      if (isContextMember(callee.object, 'harness')) return callee.name === 'prompt' ? 'model' : undefined;
      if (
        callee.object.t === 'member' &&
        callee.object.name === 'sandbox' &&
        isContextMember(callee.object.object, 'harness')
      ) {
        return SANDBOX_WRITES.has(callee.name) ? 'sandbox' : undefined;
      }
      return undefined;
    default:
      return undefined;
  }
}

function effectOfExternal({ source, name }: Term & { t: 'external' }): Effect | undefined {
  if (source === 'globalThis') return name === 'fetch' || name === 'globalThis.fetch' ? 'network' : undefined;
  const builtin = source.replace(/^node:/, '');
  const member = name.replace(/^default\./, '');
  if (builtin === 'fs' || builtin === 'fs/promises') return FILE_WRITES.test(member) ? 'files' : undefined;
  if (builtin === 'child_process') return /^(?:exec|spawn|fork)/.test(member) ? 'process' : undefined;
  if (builtin === 'http' || builtin === 'https')
    return member === 'request' || member === 'get' ? 'network' : undefined;
  return (builtin === 'net' || builtin === 'tls') && /^(?:c|createC)onnect/.test(member)
    ? 'network'
    : undefined;
}

/** `harness` or `step`, taken from the first parameter of a function. */
function isContextMember(term: Term, name: string): boolean {
  return term.t === 'member' && term.name === name && term.object.t === 'param' && term.object.index === 0;
}
