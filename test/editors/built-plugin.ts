import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** The plugin as a registry would hand it out, installed below `folder` and nowhere else. */
export interface BuiltPlugin {
  readonly folder: string;
  remove(): void;
}

/** `alias` puts one module in the place of another, as esbuild's option of this name does. */
export async function buildPlugin(alias: Readonly<Record<string, string>> = {}): Promise<BuiltPlugin> {
  const folder = mkdtempSync(join(tmpdir(), 'flue-plugin-'));
  const installed = join(folder, 'node_modules/@flue/ts-plugin');
  mkdirSync(join(installed, 'dist'), { recursive: true });
  copyFileSync(require.resolve('@flue/ts-plugin/package.json'), join(installed, 'package.json'));
  const builder = (await import(new URL('../../.ci/bundle-plugin.mjs', import.meta.url).href)) as {
    bundlePlugin(outfile: string, options?: object): Promise<void>;
  };
  await builder.bundlePlugin(join(installed, 'dist/index.cjs'), { alias });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
