import { analyse, memoryHost, rules, type TypeScript } from '@flue/compiler/analysis';
import { describe, expect, it } from 'vitest';
import { examplesOf } from '../conformance/support/examples.ts';

/** The newest TypeScript that the engine is handed, and the oldest (RULE-02). */
const { default: newest } = await import('typescript');
const oldest = (await import('typescript-5.4')).ts as unknown as TypeScript;

type Files = Readonly<Record<string, string>>;

/** As much of a library as the module below needs: the one of the newest TypeScript is not for the oldest to read. */
const LIBRARY = `interface Array<T> { length: number; [index: number]: T }
interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
interface Map<K, V> { get(key: K): V | undefined }
declare var Map: { new <K, V>(entries: [K, V][]): Map<K, V> };
`;

/** A host with a real checker. */
function typedHost(api: TypeScript, sources: Files, log?: (line: string) => void) {
  const files: Files = { ...sources, 'library.d.ts': LIBRARY };
  const program = api.createProgram(
    Object.keys(files),
    { target: api.ScriptTarget.ES2022, strict: true, noEmit: true, noLib: true, types: [] },
    {
      getSourceFile: (path, language) =>
        files[path] === undefined ? undefined : api.createSourceFile(path, files[path], language, true),
      fileExists: (path) => path in files,
      readFile: (path) => files[path],
      getDefaultLibFileName: () => 'none.d.ts',
      writeFile: () => {},
      getCurrentDirectory: () => '',
      getCanonicalFileName: (path) => path,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
    },
  );
  return {
    ...memoryHost(api, sources, {
      sourceFile: (path) => program.getSourceFile(path),
      checker: () => program.getTypeChecker(),
    }),
    ...(log && { log }),
  };
}

const RESULT = `import { defineTool } from '@flue/runtime';
export const t = defineTool({ name: 't', description: 'd', run() { return new Map([['a', 1]]); } });
`;

describe('the engine with another TypeScript', () => {
  it('finds in every example what it finds with the newest, to the letter (RULE-02)', () => {
    expect(oldest.version).toMatch(/^5\.4\./);
    const differing = rules.flatMap(examplesOf).flatMap(({ title, files }) => {
      const found = [newest as TypeScript, oldest].map((api) => {
        const { diagnostics, failures, agents } = analyse(Object.keys(files), memoryHost(api, files));
        return JSON.stringify([diagnostics, failures, agents]);
      });
      return found[0] === found[1] ? [] : [title];
    });
    // FLUE5001 quotes the parser, and parsers word their errors as they like.
    expect(differing.filter((title) => !title.startsWith('FLUE5001'))).toEqual([]);
  });

  it('asks its checker as well (RULE-02)', () => {
    const files = { 'src/a.ts': RESULT };
    const { diagnostics, failures } = analyse(['src/a.ts'], typedHost(oldest, files));
    expect(failures).toEqual([]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'Tool results are JSON; this result is Map<string, number>.',
    ]);
  });

  it('does without types when the checker lacks a member, and says so once (RULE-02)', () => {
    const files = { 'src/a.ts': RESULT };
    const lines: string[] = [];
    const bare = { ...oldest } as TypeScript;
    const look = () => {
      const host = typedHost(bare, files, (line) => lines.push(line));
      const checker = Object.create(host.checker!() as object, { isTupleType: { value: undefined } });
      return analyse(['src/a.ts'], { ...host, checker: () => checker });
    };
    for (const { diagnostics, failures } of [look(), look()]) {
      expect(failures).toEqual([]);
      expect(diagnostics).toEqual([]);
    }
    expect(lines).toEqual([
      `TypeScript ${oldest.version} has no isTupleType: what needs types is not checked.`,
    ]);
  });
});
