import { registeredProviders } from '../../compose/providers.ts';
import { defineRule } from '../define-rule.ts';

/** A provider that nobody registers (SPEC-04). Silent without a catalogue. */
export default defineRule({
  code: 'FLUE2404',
  severity: 'warning',
  tier: 'G',
  check(project, report) {
    const registered = registeredProviders(project);
    if (!registered) return;
    for (const { module, range, specifier } of project.specifiers) {
      if (!/^[^/]+\/./.test(specifier)) continue; // FLUE2403
      const info = project.resolveModelInfo?.(specifier);
      if (!info || info.ok || info.problem !== 'unknown-provider' || registered.has(info.provider)) continue;
      const [suggestion] = info.suggestions;
      report({
        module,
        range,
        message: `No provider "${info.provider}" is known.${suggestion ? ` Did you mean "${suggestion}"?` : ''}`,
        fixes: suggestion
          ? [
              {
                title: `Use ${suggestion}`,
                safe: false,
                edits: [
                  { start: range.start + 1, end: range.start + 1 + info.provider.length, text: suggestion },
                ],
              },
            ]
          : [],
      });
    }
  },
});
