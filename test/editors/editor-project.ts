import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TsServer } from '../support/tsserver.ts';

/** What tsserver says of a file, as `*DiagnosticsSync` with `includeLinePosition` puts it. */
export interface EditorDiagnostic {
  readonly message: string;
  /** offset in UTF-16 units */
  readonly start: number;
  readonly length: number;
  readonly category: 'error' | 'warning' | 'suggestion' | 'message';
  readonly code: number;
  readonly source?: string;
  readonly relatedInformation?: readonly {
    readonly message: string;
    readonly span?: { readonly file: string; readonly start: { line: number; offset: number } };
  }[];
}

/** A project on disk whose files are opened and edited through tsserver. Paths are relative to its root. */
export interface EditorProject {
  readonly root: string;
  path(file: string): string;
  write(file: string, text: string): void;
  open(...files: readonly string[]): void;
  close(...files: readonly string[]): void;
  /** Replaces the whole text of an open file, as one keystroke; the disk keeps what it had. */
  edit(file: string, text: string): void;
  /** Syntactic, semantic and suggestion diagnostics of an open file, in this order. */
  diagnostics(file: string): Promise<readonly EditorDiagnostic[]>;
  /** Those of them that are ours. */
  findings(file: string): Promise<readonly EditorDiagnostic[]>;
  remove(): void;
}

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    skipLibCheck: true,
    plugins: [{ name: '@flue/ts-plugin' }],
  },
  include: ['src', '*.ts'],
};

export function editorProject(server: TsServer, files: Readonly<Record<string, string>>): EditorProject {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'flue-editor-')));
  const path = (file: string) => join(root, file);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  const all = {
    'package.json': '{ "name": "subject", "type": "module" }',
    'tsconfig.json': JSON.stringify(TSCONFIG),
    ...RUNTIME_TYPES,
    ...files,
  };
  for (const [file, text] of Object.entries(all)) write(file, text);

  const texts = new Map<string, string>();
  const ask = (command: string, file: string) =>
    server.request<readonly EditorDiagnostic[]>(command, { file: path(file), includeLinePosition: true });
  const diagnostics = async (file: string) => [
    ...(await ask('syntacticDiagnosticsSync', file)),
    ...(await ask('semanticDiagnosticsSync', file)),
    ...(await ask('suggestionDiagnosticsSync', file)),
  ];

  return {
    root,
    path,
    write,
    open(...opened) {
      for (const file of opened) {
        const fileContent = readFileSync(path(file), 'utf8');
        texts.set(file, fileContent);
        server.notify('open', { file: path(file), fileContent });
      }
    },
    close(...closed) {
      for (const file of closed) server.notify('close', { file: path(file) });
    },
    edit(file, text) {
      const end = positionOf(texts.get(file)!);
      const textChanges = [{ newText: text, start: { line: 1, offset: 1 }, end }];
      server.notify('updateOpen', { changedFiles: [{ fileName: path(file), textChanges }] });
      texts.set(file, text);
    },
    diagnostics,
    findings: async (file) => (await diagnostics(file)).filter(({ source }) => source === 'flue'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The types of the whole runtime take tsserver seconds, and what is asserted here does not depend on them. */
const RUNTIME_TYPES = {
  'node_modules/@flue/runtime/package.json': '{ "name": "@flue/runtime", "types": "./index.d.ts" }',
  'node_modules/@flue/runtime/index.d.ts': `
    export declare function useModel(model: string): void;
    export declare function usePersistentState<T>(name: string, initial: T): [T, (next: T) => void];
    export declare function defineTool(definition: object): unknown;
  `,
};

/** Where a text ends, one-based. */
function positionOf(text: string): { line: number; offset: number } {
  const lines = text.split('\n');
  return { line: lines.length, offset: lines.at(-1)!.length + 1 };
}
