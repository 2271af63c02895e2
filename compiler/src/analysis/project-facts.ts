import type { LockedIdentities } from './identity-drift.ts';
import { lineStartsOf } from './position.ts';
import type { Module, Range } from './program.ts';

/** A file that is no analysed module: where a finding may sit as well. `text` holds no secret. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** What positions of a finding refer to. */
export type Source = Pick<Module, 'path' | 'text' | 'lineStarts'>;

export function sourceOf({ path, text }: ProjectFile): Source {
  return { path, text, lineStarts: lineStartsOf(text) };
}

/** A fault of the configuration as the host that evaluates it words it (CFG-04). */
export interface ConfigFault {
  /** `check.maxWarnings`; empty for the whole */
  readonly field: string;
  readonly problem: string;
}

export interface ConfigFact extends ProjectFile {
  readonly faults: readonly ConfigFault[];
}

/** Entries as they are found or configured (CFG-05), by project path. */
export interface LayoutFact {
  readonly sourceRoot: string;
  readonly generatedDir: string;
  readonly app: string | undefined;
  readonly db: { readonly path: string; readonly explicit: boolean } | undefined;
  /** where the configuration, else the package is described: the place of what a project lacks */
  readonly home: ProjectFile;
}

/** A marked file that the scan does not see, and why (CFG-08). */
export interface UnscannedFile extends ProjectFile {
  readonly reason: string;
  /** a script outside of the scan gives it to `start()` */
  readonly started: boolean;
}

/** An imported `SKILL.md`, and what lies beside it at any depth, without what packaging skips (SKILL-13). */
export interface SkillFolder extends ProjectFile {
  readonly markdown: SkillMarkdown;
  readonly entries: readonly SkillEntry[];
}

/** What a `SKILL.md` says of its skill, or why its front matter cannot be read (SKILL-12). */
export type SkillMarkdown =
  | {
      /** in the order in which they are written */
      readonly fields: readonly SkillField[];
      /** trimmed, and where it starts */
      readonly body: { readonly text: string; readonly start: number };
    }
  | { readonly problem: string; readonly range: Range };

export interface SkillField {
  readonly name: string;
  /** `undefined`: neither a string nor a map of strings */
  readonly value: string | Readonly<Record<string, string>> | undefined;
  /** its name, where it is written */
  readonly range: Range;
}

export interface SkillEntry {
  /** relative to the folder */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  /** bytes */
  readonly size: number;
}

/** A file that the sources generate, beside what stands on disk (GEN-04). */
export interface GeneratedFile {
  readonly path: string;
  readonly expected: string;
  /** undefined: missing */
  readonly present: string | undefined;
  readonly tracked: boolean;
}

/** An authored wrangler configuration, as far as it is written out (CF-108). */
export interface WranglerFact extends ProjectFile {
  readonly migrations: readonly Migration[];
  /** where one more entry goes; undefined when the file has no list of them */
  readonly end: number | undefined;
}

export interface Migration {
  readonly introduces: readonly string[];
  readonly removes: readonly string[];
}

/** A git-tracked `.env` file whose values are blanked out, and where there is one. */
export interface EnvironmentFile extends ProjectFile {
  readonly values: readonly Range[];
}

/**
 * What a host knows of a project beyond the text of its modules: plain data. Every part is optional; the rules that
 * need an absent one are silent. Paths are project paths.
 */
export interface ProjectFacts {
  /** generated files, lock and migrations have to be current (RULE-33) */
  readonly frozen?: boolean;
  /** an application with a server, rather than a library or a script: found by a check, or being built */
  readonly application?: 'checked' | 'built';
  readonly layout?: LayoutFact;
  readonly config?: ConfigFact;
  /** ids of the configuration's exhaustive list (PROV-02) */
  readonly providers?: readonly string[];
  readonly unscanned?: readonly UnscannedFile[];
  readonly lock?: ProjectFile & LockedIdentities;
  readonly skills?: readonly SkillFolder[];
  readonly generated?: readonly GeneratedFile[];
  /** entries and marked files in the generated folder that we did not write (CFG-07) */
  readonly occupants?: readonly ProjectFile[];
  readonly wrangler?: WranglerFact;
  readonly environment?: readonly EnvironmentFile[];
}
