import { registeredProviders } from '../../compose/providers.ts';
import { defineRule } from '../define-rule.ts';

/** The models of the platform need no provider in the catalogue. */
const BINDING_PROVIDER = 'cloudflare';

/** A provider that nobody registers, or that the configuration leaves out (SPEC-04, PROV-02). Silent without a catalogue. */
export default defineRule({
  code: 'FLUE2404',
  severity: 'warning',
  tier: 'G',
  check(project, report, { providers }) {
    const registered = registeredProviders(project);
    if (!registered) return;
    for (const { module, range, specifier } of project.specifiers) {
      if (!/^[^/]+\/./.test(specifier)) continue; // FLUE2403
      const provider = specifier.slice(0, specifier.indexOf('/'));
      const isBinding = project.settings.target === 'cloudflare' && provider === BINDING_PROVIDER;
      if (isBinding || registered.has(provider)) continue;
      const isLeftOut = providers !== undefined && provider !== 'offline' && !providers.includes(provider);
      const info = project.resolveModelInfo?.(specifier);
      const isUnknown = info?.ok === false && info.problem === 'unknown-provider';
      if (!isUnknown && !isLeftOut) continue;
      const suggestion = isUnknown ? info.suggestions[0] : undefined;
      report({
        module,
        range,
        message: `No provider "${provider}" is known.${suggestion ? ` Did you mean "${suggestion}"?` : ''}`,
        fixes: suggestion
          ? [
              {
                title: `Use ${suggestion}`,
                safe: false,
                edits: [{ start: range.start + 1, end: range.start + 1 + provider.length, text: suggestion }],
              },
            ]
          : [],
      });
    }
  },
});
