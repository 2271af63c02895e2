import { type SandboxFactory, virtual } from '@flue/runtime';
import * as v from 'valibot';
import type { Files } from './support/evaluate.ts';

/**
 * Rules whose fault no running program shows, with the reason. Every other rule at error or warning severity is judged
 * by running its examples.
 */
export const UNSEEN: Readonly<Record<string, string>> = {
  FLUE1001: 'a misplaced directive registers nothing, and nothing at run time expects it to',
  FLUE1002: 'as FLUE1001: a string that is no directive has no effect',
  FLUE1003: 'as FLUE1001: an expression that is no directive has no effect',
  FLUE1005: 'a build with nothing to register; the process never hears of the module',
  FLUE1008: 'a class is not registered, and nothing at run time expects it to be',
  FLUE1010: 'a re-export is not registered, and nothing at run time expects it to be',
  FLUE1011: 'a wrapped function is not registered, and nothing at run time expects it to be',
  FLUE1012: 'a lowercase function is not registered, and nothing at run time expects it to be',
  FLUE1013: 'a file that the scan does not see is not registered, and nothing at run time expects it to be',
  FLUE1104: 'determinism of the build: at run time the value has been computed and is as good as a literal',
  FLUE1105: 'determinism of the build: the identity depends on where and when the module runs',
  FLUE1106: 'determinism of the build: at run time the last assignment stands',
  FLUE1107: 'about the lock file, which a process does not read',
  FLUE1111: 'a property that nobody reads',
  FLUE1112: 'two names of one agent; each of them works',
  FLUE2202:
    'no failure: the order of two hooks changes, which hook-order.test.ts shows by rendering both ways',
  FLUE2302: 'a call of one function by another leaves no trace that a hook could find',
  FLUE3008: 'the schema works, for values that no model can send',
  FLUE3202: 'about files that the build refuses to pack',
  FLUE3203: 'an import that the build refuses',
  FLUE3103: 'only an execution after an interruption meets another name',
  FLUE3105: 'a step that is under way still may be recorded before its call settles',
  FLUE3204: 'about files that the build refuses to pack',
  FLUE4011: 'an exposure: every request works',
  FLUE4012: 'the schema works, for values that no client can send',
  FLUE5001: 'a file that does not parse never runs',
  FLUE5002: 'about the configuration, which commands read',
  FLUE5003: 'about what is installed',
  FLUE5004: 'about generated files',
  FLUE5007: 'about comments',
  FLUE5008: 'about comments',
  FLUE5009: 'about an entry that the build of another target leaves out',
  FLUE5010: 'a build with nothing to serve',
  FLUE5011: 'about generated files',
  FLUE5012: 'about what a deployment refuses',
  FLUE5014: 'about names in generated code',
  FLUE5015: 'an exposure: the credential works',
  FLUE5016: 'about names on other file systems',
};

/** Rules whose feature the runtime does not have yet, where an import does not already tell. */
export const LATER_RULES: Readonly<Record<string, string>> = {};

/** Names that the contract promises and the runtime does not export yet; an example that imports one waits for it. */
export const LATER_EXPORTS: readonly string[] = ['connectMcpServer'];

/** Single examples whose feature is not there yet. */
export const LATER_EXAMPLES: Readonly<Record<string, string>> = {
  'FLUE1103 bad-2': 'a Cloudflare entry',
  'FLUE1103 good-2': 'a Cloudflare entry',
  'FLUE2405 good-2': 'a Cloudflare entry, whose models this process does not know',
  'FLUE4004 good-1': 'an instance that an earlier send created',
};

/**
 * Faults that the runtime sees at another place, where it cannot tell them apart from a second rule's: what it says
 * instead. A name that is no code is that of the JavaScript error.
 */
export const SEEN_AS: Readonly<Record<string, readonly string[]>> = {
  FLUE2002: ['FLUE2001'], // a hook after an await finds no render, as any hook outside one
  FLUE2003: ['FLUE2001'],
  FLUE2105: ['FLUE2104', 'FLUE2102'], // a pass of a loop is a call like any other
  FLUE2304: ['TypeError'], // reads a property of what nobody passed
  FLUE3009: ['TypeError'], // reads a field of a context that has none
  FLUE4009: ['FLUE4009', 'FLUE1007', 'FLUE4008'], // no identity; mounted and not registered
  FLUE4010: ['FLUE4010', 'FLUE1007', 'FLUE1102'], // what registration says of the list
};

/** A `flag()` that says something else each time; throws what is an error. */
export class Varying {
  readonly #values: readonly unknown[];
  #calls = 0;
  constructor(...values: readonly unknown[]) {
    this.#values = values;
  }
  next(): unknown {
    const value = this.#values[this.#calls++ % this.#values.length];
    if (value instanceof Error) throw value;
    return value;
  }
}

/** What `flag()` gives where a boolean is not what the snippet needs (RULE-38). */
export const FLAGS: Readonly<Record<string, readonly unknown[]>> = {
  'FLUE1110 good-2': [v.optional(v.object({ a: v.string() }))],
  'FLUE2105 bad-2': [[1], [1, 2]],
  'FLUE2201 bad-3': [new Varying(true, false)],
  'FLUE2201 bad-4': [new Varying(true, new Error('not now'))],
  'FLUE2401 good-2': [{ thinkingLevel: 'low' }],
  'FLUE3003 good-2': ['look_up'],
  'FLUE3201 good-2': ['refunds'],
  'FLUE3007 good-2': [v.object({ a: v.optional(v.string()) })],
  'FLUE4002 good-2': [{ id: '2', message: 'x' }],
  'FLUE4010 good-2': [[function Probe() {}]],
};

/** Good examples that end in an error of their author's own, or of the world, which is not what the rule is about. */
export const FAILS_OTHERWISE: Readonly<Record<string, string>> = {
  'FLUE2404 good-1': 'its provider has no credential here',
  'FLUE3011 good-1': 'throws on purpose',
  'FLUE4003 good-2': 'addresses an incarnation that nobody created',
};

/** What snippets read of the environment. */
export const ENVIRONMENT: Readonly<Record<string, string>> = { MODEL: 'gpt-5', N: '2' };

/** Modules that examples import beside their own. */
export const SHARED: Files = {
  'src/tools.ts': `import { defineTool } from '@flue/runtime';
export const t1 = defineTool({ name: 't1', description: 'one', run() {} });
export const t2 = defineTool({ name: 't2', description: 'two', run() {} });
`,
};

/** The sandbox of a package, with tools of its own. */
export const SANDBOX_KIT: { readonly sbx: SandboxFactory } = {
  sbx: {
    ...virtual(),
    tools: () => [
      { name: 'shell', description: 'Runs.', parameters: {}, execute: async () => ({ content: [] }) },
    ],
  },
};
