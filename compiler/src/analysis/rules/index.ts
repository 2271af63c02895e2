import type { Rule } from './define-rule.ts';
import flue1001 from './flue1001-directive-misplaced/rule.ts';
import flue1002 from './flue1002-directive-typo/rule.ts';
import flue1003 from './flue1003-directive-form/rule.ts';
import flue1004 from './flue1004-directive-duplicate/rule.ts';
import flue1005 from './flue1005-no-agents/rule.ts';
import flue1006 from './flue1006-agent-not-sync/rule.ts';
import flue1007 from './flue1007-agent-anonymous-default/rule.ts';
import flue1008 from './flue1008-agent-class/rule.ts';
import flue1009 from './flue1009-agent-double-export/rule.ts';
import flue1010 from './flue1010-agent-reexport/rule.ts';
import flue1011 from './flue1011-agent-wrapped/rule.ts';
import flue1012 from './flue1012-agent-not-capitalized/rule.ts';
import flue1013 from './flue1013-directive-out-of-scope/rule.ts';
import flue1101 from './flue1101-identity-pattern/rule.ts';
import flue1102 from './flue1102-identity-duplicate/rule.ts';
import flue1103 from './flue1103-identifier-collision/rule.ts';
import flue1104 from './flue1104-agent-name-not-literal/rule.ts';
import flue1105 from './flue1105-agent-name-not-top-level/rule.ts';
import flue1106 from './flue1106-agent-name-repeated/rule.ts';
import flue1107 from './flue1107-identity-drift/rule.ts';
import flue1108 from './flue1108-identity-unlocked/rule.ts';
import flue1109 from './flue1109-durability-invalid/rule.ts';
import flue1110 from './flue1110-initial-data-not-schema/rule.ts';
import flue1111 from './flue1111-static-ignored/rule.ts';
import flue1112 from './flue1112-identity-export-alias/rule.ts';
import flue2001 from './flue2001-hook-outside-render/rule.ts';
import flue2002 from './flue2002-hook-after-await/rule.ts';
import flue2003 from './flue2003-hook-reached-outside-render/rule.ts';
import flue2004 from './flue2004-hook-naming/rule.ts';
import flue2101 from './flue2101-model-missing/rule.ts';
import flue2102 from './flue2102-model-repeated/rule.ts';
import flue2103 from './flue2103-sandbox-repeated/rule.ts';
import flue2104 from './flue2104-name-duplicate/rule.ts';
import flue2105 from './flue2105-name-repeated-in-loop/rule.ts';
import flue2201 from './flue2201-identity-hook-varies/rule.ts';
import flue2202 from './flue2202-hook-order-unstable/rule.ts';
import flue2203 from './flue2203-hook-unconditional-strict/rule.ts';
import flue2301 from './flue2301-write-during-render/rule.ts';
import flue2302 from './flue2302-agent-calls-agent/rule.ts';
import flue2303 from './flue2303-subagent-forbidden-hook/rule.ts';
import flue2304 from './flue2304-subagent-reads-props/rule.ts';
import flue2305 from './flue2305-agent-return-type/rule.ts';
import flue2306 from './flue2306-render-side-effect/rule.ts';
import flue2307 from './flue2307-response-hook-result/rule.ts';
import flue2308 from './flue2308-finish-append-unconditional/rule.ts';
import flue2401 from './flue2401-hook-options-invalid/rule.ts';
import flue2402 from './flue2402-hook-argument-invalid/rule.ts';
import flue2403 from './flue2403-model-specifier-shape/rule.ts';
import flue2404 from './flue2404-model-unknown-provider/rule.ts';
import flue2405 from './flue2405-model-unknown-id/rule.ts';
import flue2406 from './flue2406-state-write-undefined/rule.ts';
import flue2407 from './flue2407-state-not-json/rule.ts';
import flue2408 from './flue2408-state-update-from-snapshot/rule.ts';
import flue2409 from './flue2409-snapshot-after-await/rule.ts';
import flue2410 from './flue2410-state-default-function/rule.ts';
import flue3001 from './flue3001-tool-definition/rule.ts';
import flue3002 from './flue3002-tool-legacy-fields/rule.ts';
import flue3003 from './flue3003-tool-name-charset/rule.ts';
import flue3004 from './flue3004-tool-name-reserved/rule.ts';
import flue3005 from './flue3005-tool-name-builtin/rule.ts';
import flue3006 from './flue3006-tool-input-not-object/rule.ts';
import flue3007 from './flue3007-tool-schema-not-valibot/rule.ts';
import flue3008 from './flue3008-tool-input-no-json-form/rule.ts';
import flue3009 from './flue3009-tool-context-flag/rule.ts';
import flue3010 from './flue3010-tool-output-not-json/rule.ts';
import flue3011 from './flue3011-tool-output-missing/rule.ts';
import flue3101 from './flue3101-step-name-invalid/rule.ts';
import flue3102 from './flue3102-step-name-repeated/rule.ts';
import flue3103 from './flue3103-step-name-nondeterministic/rule.ts';
import flue3104 from './flue3104-step-nested/rule.ts';
import flue3105 from './flue3105-step-not-awaited/rule.ts';
import flue3106 from './flue3106-effect-outside-step/rule.ts';
import flue3107 from './flue3107-step-value-not-json/rule.ts';
import flue3201 from './flue3201-skill-definition/rule.ts';
import flue3202 from './flue3202-skill-md-frontmatter/rule.ts';
import flue3203 from './flue3203-skill-import-form/rule.ts';
import flue3204 from './flue3204-skill-directory-content/rule.ts';
import flue3301 from './flue3301-subagent-definition/rule.ts';
import flue3302 from './flue3302-subagent-reserved-name/rule.ts';
import flue3401 from './flue3401-mcp-connect-in-render/rule.ts';
import flue3402 from './flue3402-mcp-tool-wrapped/rule.ts';
import flue3403 from './flue3403-mcp-not-awaited/rule.ts';
import flue3404 from './flue3404-mcp-options-invalid/rule.ts';
import flue3405 from './flue3405-mcp-on-workers/rule.ts';
import flue4001 from './flue4001-send-target-not-agent/rule.ts';
import flue4002 from './flue4002-send-id-missing/rule.ts';
import flue4003 from './flue4003-send-condition-conflict/rule.ts';
import flue4004 from './flue4004-initial-data-mismatch/rule.ts';
import flue4005 from './flue4005-message-invalid/rule.ts';
import flue4006 from './flue4006-handle-payload-invalid/rule.ts';
import flue4007 from './flue4007-self-send-deadlock/rule.ts';
import flue4008 from './flue4008-agent-unreachable/rule.ts';
import flue4009 from './flue4009-router-target/rule.ts';
import flue4010 from './flue4010-start-agents-invalid/rule.ts';
import flue4011 from './flue4011-local-sandbox-exposed/rule.ts';
import flue4012 from './flue4012-initial-data-no-json-form/rule.ts';
import flue5001 from './flue5001-parse-error/rule.ts';
import flue5002 from './flue5002-config-invalid/rule.ts';
import flue5003 from './flue5003-runtime-duplicated/rule.ts';
import flue5004 from './flue5004-generated-stale/rule.ts';
import flue5005 from './flue5005-import-unresolved/rule.ts';
import flue5006 from './flue5006-analysis-limited/rule.ts';
import flue5007 from './flue5007-suppression-unused/rule.ts';
import flue5008 from './flue5008-suppression-invalid/rule.ts';
import flue5009 from './flue5009-db-on-cloudflare/rule.ts';
import flue5010 from './flue5010-app-entry-missing/rule.ts';
import flue5011 from './flue5011-generated-dir-occupied/rule.ts';
import flue5012 from './flue5012-migration-missing/rule.ts';
import flue5013 from './flue5013-contract-open/rule.ts';
import flue5014 from './flue5014-accessor-collision/rule.ts';
import flue5015 from './flue5015-secret-exposed/rule.ts';
import flue5016 from './flue5016-path-case-clash/rule.ts';

/** The rules in the order of the catalogue: one line each. */
export const rules: readonly Rule[] = [
  flue1001,
  flue1002,
  flue1003,
  flue1004,
  flue1005,
  flue1006,
  flue1007,
  flue1008,
  flue1009,
  flue1010,
  flue1011,
  flue1012,
  flue1013,
  flue1101,
  flue1102,
  flue1103,
  flue1104,
  flue1105,
  flue1106,
  flue1107,
  flue1108,
  flue1109,
  flue1110,
  flue1111,
  flue1112,
  flue2001,
  flue2002,
  flue2003,
  flue2004,
  flue2101,
  flue2102,
  flue2103,
  flue2104,
  flue2105,
  flue2201,
  flue2202,
  flue2203,
  flue2301,
  flue2302,
  flue2303,
  flue2304,
  flue2305,
  flue2306,
  flue2307,
  flue2308,
  flue2401,
  flue2402,
  flue2403,
  flue2404,
  flue2405,
  flue2406,
  flue2407,
  flue2408,
  flue2409,
  flue2410,
  flue3001,
  flue3002,
  flue3003,
  flue3004,
  flue3005,
  flue3006,
  flue3007,
  flue3008,
  flue3009,
  flue3010,
  flue3011,
  flue3101,
  flue3102,
  flue3103,
  flue3104,
  flue3105,
  flue3106,
  flue3107,
  flue3201,
  flue3202,
  flue3203,
  flue3204,
  flue3301,
  flue3302,
  flue3401,
  flue3402,
  flue3403,
  flue3404,
  flue3405,
  flue4001,
  flue4002,
  flue4003,
  flue4004,
  flue4005,
  flue4006,
  flue4007,
  flue4008,
  flue4009,
  flue4010,
  flue4011,
  flue4012,
  flue5001,
  flue5002,
  flue5003,
  flue5004,
  flue5005,
  flue5006,
  flue5007,
  flue5008,
  flue5009,
  flue5010,
  flue5011,
  flue5012,
  flue5013,
  flue5014,
  flue5015,
  flue5016,
];
