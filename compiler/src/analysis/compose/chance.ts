import type { Module, Value } from '../program.ts';
import type { Evaluator } from './evaluate.ts';
import type { Env } from './term.ts';

const SOURCES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:globalThis\.)?(?:Date|Date\.now|performance\.now|process\.hrtime(?:\.bigint)?|process\.uptime)$/,
    'the clock',
  ],
  [/^(?:globalThis\.)?Math\.random$/, 'chance'],
  [/^(?:globalThis\.)?crypto\.(?:randomUUID|getRandomValues)$/, 'a generated id'],
];

/** The clock, chance, generated id or process id that a value is made from, in words. */
export function chanceIn(
  evaluator: Evaluator,
  module: Module,
  value: Value,
  env: Env,
  depth = 0,
): string | undefined {
  if (depth > 24) return undefined;
  const within = (...parts: (Value | undefined)[]): string | undefined => {
    for (const part of parts) {
      const found = part && chanceIn(evaluator, module, part, env, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  switch (value.k) {
    case 'ref': {
      const binding = module.bindings[value.binding]!;
      return binding.import || binding.param !== undefined || binding.assigned
        ? undefined
        : within(binding.init);
    }
    case 'member': {
      const term = evaluator.evaluate(module, value, env);
      if (term.t === 'external' && /^(?:process\.pid|process\.ppid)$/.test(term.name))
        return 'the process id';
      return within(value.object);
    }
    case 'template':
      return within(...value.parts.filter((part) => typeof part !== 'string'));
    case 'binary':
    case 'logical':
      return within(value.left, value.right);
    case 'conditional':
      return within(value.test, value.yes, value.no);
    case 'unary':
    case 'await':
      return within(value.operand);
    case 'call': {
      const call = module.calls[value.call]!;
      const callee = evaluator.evaluate(module, call.callee, env);
      if (callee.t === 'external') {
        const source = SOURCES.find(
          ([pattern]) => callee.source === 'globalThis' && pattern.test(callee.name),
        )?.[1];
        const isFixedDate = callee.name === 'Date' && call.args.length > 0;
        if (source !== undefined && !isFixedDate) return source;
        if (
          callee.source !== 'globalThis' &&
          /^(?:default\.)?(?:randomUUID|randomBytes|ulid|nanoid|uuidv?[147]?|v[147])$/.test(callee.name)
        )
          return 'a generated id';
        return within(...call.args.map((item) => item.value));
      }
      // A method of the value: `new Date().toISOString()`. What other functions make of it is theirs.
      return callee.t === 'member' && call.callee.k === 'member' ? within(call.callee.object) : undefined;
    }
    default:
      return undefined;
  }
}
