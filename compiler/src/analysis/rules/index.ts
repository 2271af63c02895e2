import type { Rule } from './define-rule.ts';
import flue1001 from './flue1001-directive-misplaced/rule.ts';
import flue1002 from './flue1002-directive-typo/rule.ts';
import flue1005 from './flue1005-no-agents/rule.ts';
import flue1006 from './flue1006-agent-not-sync/rule.ts';
import flue1007 from './flue1007-agent-anonymous-default/rule.ts';
import flue1101 from './flue1101-identity-pattern/rule.ts';
import flue1102 from './flue1102-identity-duplicate/rule.ts';
import flue1104 from './flue1104-agent-name-not-literal/rule.ts';
import flue1109 from './flue1109-durability-invalid/rule.ts';
import flue2001 from './flue2001-hook-outside-render/rule.ts';
import flue2003 from './flue2003-hook-reached-outside-render/rule.ts';
import flue2101 from './flue2101-model-missing/rule.ts';
import flue2102 from './flue2102-model-repeated/rule.ts';
import flue2104 from './flue2104-name-duplicate/rule.ts';
import flue2301 from './flue2301-write-during-render/rule.ts';
import flue2303 from './flue2303-subagent-forbidden-hook/rule.ts';
import flue2403 from './flue2403-model-specifier-shape/rule.ts';
import flue3001 from './flue3001-tool-definition/rule.ts';
import flue3002 from './flue3002-tool-legacy-fields/rule.ts';
import flue3003 from './flue3003-tool-name-charset/rule.ts';
import flue3004 from './flue3004-tool-name-reserved/rule.ts';
import flue3006 from './flue3006-tool-input-not-object/rule.ts';
import flue5001 from './flue5001-parse-error/rule.ts';
import flue5005 from './flue5005-import-unresolved/rule.ts';

/** The rules in the order of the catalogue: one line each. */
export const rules: readonly Rule[] = [
  flue1001,
  flue1002,
  flue1005,
  flue1006,
  flue1007,
  flue1101,
  flue1102,
  flue1104,
  flue1109,
  flue2001,
  flue2003,
  flue2101,
  flue2102,
  flue2104,
  flue2301,
  flue2303,
  flue2403,
  flue3001,
  flue3002,
  flue3003,
  flue3004,
  flue3006,
  flue5001,
  flue5005,
];
