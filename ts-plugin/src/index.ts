import type ts from 'typescript';
import { decorate } from './proxy.ts';

/**
 * The factory that tsserver calls with its own TypeScript (RULE-02). Configured in a tsconfig:
 * `"plugins": [{ "name": "@flue/ts-plugin" }]`.
 */
export default function init({ typescript }: { readonly typescript: typeof ts }): ts.server.PluginModule {
  return { create: (info) => decorate(typescript, info) };
}
