import { defineRule } from '../define-rule.ts';

/** A delegate that expects arguments (DELEG-08). */
export default defineRule({
  code: 'FLUE2304',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const agents = new Set(project.agents.map((agent) => agent.fn));
    for (const root of project.roots) {
      const [param] = root.fn.params;
      if (root.kind !== 'delegate' || agents.has(root.fn) || !param || param.hasDefault || param.rest)
        continue;
      const { module } = root;
      const read = param.destructured
        ? param.range
        : module.members.find(
            ({ object, optional }) => !optional && object.k === 'ref' && object.binding === param.bindings[0],
          );
      if (!read) continue;
      report({
        module,
        range: read,
        message: 'A delegate is called without arguments. Close over the value instead.',
      });
    }
  },
});
