import { registeredProviders } from '../../compose/providers.ts';
import { defineRule } from '../define-rule.ts';

/** A model that the provider's catalogue lacks (SPEC-05). Silent without a catalogue. */
export default defineRule({
  code: 'FLUE2405',
  severity: 'warning',
  tier: 'G',
  check(project, report) {
    const registered = registeredProviders(project);
    if (!registered) return;
    for (const { module, range, specifier } of project.specifiers) {
      if (!/^[^/]+\/./.test(specifier)) continue; // FLUE2403
      const info = project.resolveModelInfo?.(specifier);
      if (!info || info.ok || info.problem !== 'unknown-model' || registered.has(info.provider)) continue;
      const closest = info.suggestions.slice(0, 3);
      const version = info.catalogue === undefined ? '' : ` (pi-ai ${info.catalogue})`;
      const [nearest] = closest;
      report({
        module,
        range,
        message: `"${info.id}" is not in the catalogue of ${info.provider}${version}.${closest.length > 0 ? ` Closest: ${closest.join(', ')}.` : ''}`,
        fixes: nearest
          ? [
              {
                title: `Use ${nearest}`,
                safe: false,
                edits: [{ start: range.end - 1 - info.id.length, end: range.end - 1, text: nearest }],
              },
            ]
          : [],
      });
    }
  },
});
