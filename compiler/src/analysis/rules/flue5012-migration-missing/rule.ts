import { durableNames } from '@flue/runtime/internal';
import type { Range } from '../../program.ts';
import { type Migration, sourceOf, type WranglerFact } from '../../project-facts.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** What `durableNames` makes; every other class belongs to the author. */
const OURS = /^Flue[A-Za-z0-9]+Agent$/;

/** Durable Object classes that a deploy would refuse (CF-108). */
export default defineRule({
  code: 'FLUE5012',
  severity: 'warning',
  tier: 'G',
  check(project, report, { wrangler, frozen }) {
    if (!wrangler || project.settings.target !== 'cloudflare') return;
    const generated = new Set(project.agents.map(({ identity }) => durableNames(identity).className));
    const introduced = classesAfter(wrangler.migrations);
    const added = [...generated].filter((name) => !introduced.has(name));
    const gone = [...introduced].filter((name) => OURS.test(name) && !generated.has(name));
    const complain = (name: string, what: string, entry: object, safe: boolean) => {
      const text = JSON.stringify(entry);
      report({
        module: sourceOf(wrangler),
        range: placeOf(wrangler, name),
        message: `${name} ${what}; the deploy will be refused. Append ${text}.`,
        ...(frozen && { severity: 'error' as const }),
        fixes: append(wrangler, text, safe),
      });
    };
    const renaming = added.length === 1 && gone.length === 1 ? renamed(gone[0]!, added[0]!) : undefined;
    for (const name of added) {
      const entry = renaming ?? { tag: `flue-${name}`, new_sqlite_classes: [name] };
      // Beside a class that is gone it may be the same one under a new name: only the author knows.
      complain(name, 'has no migration', entry, gone.length === 0);
    }
    for (const name of gone) {
      // Deleting a class deletes what its instances have stored, so it is never done unasked.
      const entry = renaming ?? { tag: `flue-${name}-deleted`, deleted_classes: [name] };
      complain(name, 'is no longer exported', entry, false);
    }
  },
});

function renamed(from: string, to: string): object {
  return { tag: `flue-${to}`, renamed_classes: [{ from, to }] };
}

function classesAfter(migrations: readonly Migration[]): ReadonlySet<string> {
  const classes = new Set<string>();
  for (const { introduces, removes } of migrations) {
    for (const name of removes) classes.delete(name);
    for (const name of introduces) classes.add(name);
  }
  return classes;
}

function placeOf({ text }: WranglerFact, name: string): Range {
  const named = text.lastIndexOf(JSON.stringify(name));
  if (named >= 0) return { start: named, end: named + name.length + 2 };
  const list = text.indexOf('"migrations"');
  return list < 0 ? { start: 0, end: 0 } : { start: list, end: list + '"migrations"'.length };
}

function append({ end, migrations }: WranglerFact, entry: string, safe: boolean): Repair[] {
  if (end === undefined) return [];
  const text = migrations.length > 0 ? `, ${entry}` : entry;
  return [{ title: `Append ${entry}`, safe, edits: [{ start: end, end, text }] }];
}
