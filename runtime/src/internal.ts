/** The contract that Flue's own packages share. Promises nothing to users and loads nothing else. */
export * from './contract/codes.ts';
export * from './contract/hook-table.ts';
export * from './contract/identity.ts';
export * from './contract/limits.ts';
export * from './contract/manifest.ts';
export * from './contract/names.ts';
export * from './contract/skill-id.ts';
export { RUNTIME_VERSION } from './contract/version.ts';
