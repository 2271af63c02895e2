import type { Severity } from '../../diagnostic.ts';
import type { SkillEntry } from '../../project-facts.ts';
import { defineRule } from '../define-rule.ts';
import { importOfSkill } from '../skill-imports.ts';

const MiB = 1024 * 1024;
const CREDENTIAL_FOLDER = /^\.(?:aws|gnupg|ssh)$/;
const CREDENTIAL_FILE =
  /^(?:\.env(?:\..*)?|\.dev\.vars.*|[._]netrc|\.npmrc|\.pypirc|credentials\.json|.*\.(?:key|pem|p12|pfx|jks|keystore)|secrets?(?:\..*)?|id_(?:rsa|ed25519|ecdsa))$/i;

/** What may not travel with a skill (SKILL-13). */
export default defineRule({
  code: 'FLUE3204',
  severity: 'error',
  tier: 'G',
  check(project, report, { skills = [] }) {
    for (const { path, entries } of skills) {
      const place = importOfSkill(project, path);
      if (!place) continue;
      const folder = path.split('/').at(-2) ?? '';
      for (const entry of entries) {
        const fault = faultOf(entry);
        if (!fault) continue;
        report({
          ...place,
          message: `Skill "${folder}" would package ${entry.path}: ${fault.reason}.`,
          severity: fault.severity,
        });
      }
    }
  },
});

function faultOf({ path, kind, size }: SkillEntry): { reason: string; severity: Severity } | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (kind === 'link') return { reason: 'it is a symbolic link', severity: 'error' };
  if (kind === 'directory')
    return CREDENTIAL_FOLDER.test(name)
      ? { reason: 'such a directory holds credentials', severity: 'error' }
      : undefined;
  if (CREDENTIAL_FILE.test(name)) return { reason: 'such a file holds credentials', severity: 'error' };
  return size > MiB ? { reason: 'it is larger than 1 MiB', severity: 'warning' } : undefined;
}
