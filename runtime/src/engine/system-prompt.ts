import { type CatalogEntry, catalogLine } from './narration.ts';

/** What the system prompt holds after the instruction document; it stays as composed until a rebaseline (NARR-03). */
export interface PromptParts {
  readonly skills: readonly Pick<CatalogEntry, 'name' | 'description'>[];
  /** epoch milliseconds */
  readonly now: number;
}

/** Catalogs, then the date (RCD-32). Later changes of a catalog are told by signals (NARR-01). */
export function composePrompt({ skills, now }: PromptParts): string {
  const date = `Current date: ${new Date(now).toISOString().slice(0, 10)}`;
  return [...skillCatalog(skills), date].join('\n\n');
}

function skillCatalog(skills: PromptParts['skills']): string[] {
  if (skills.length === 0) return [];
  const intro =
    'Skills are instructions for particular work. When one of these fits what you are asked to do, call ' +
    '`activate_skill` with its name before you begin:';
  return [[intro, ...skills.map(catalogLine)].join('\n')];
}
