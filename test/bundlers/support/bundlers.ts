import { fileURLToPath } from 'node:url';
import esbuildFlue from '@flue/unplugin/esbuild';
import rolldownFlue from '@flue/unplugin/rolldown';
import rollupFlue from '@flue/unplugin/rollup';
import rspackFlue from '@flue/unplugin/rspack';
import viteFlue from '@flue/unplugin/vite';
import webpackFlue from '@flue/unplugin/webpack';
import { type Configuration as RspackConfiguration, rspack } from '@rspack/core';
import * as esbuild from 'esbuild';
import * as rolldown from 'rolldown';
import * as rollup from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

export interface Build {
  /** the project's folder; what is built goes to `dist` in it */
  readonly root: string;
  /** an id or a path */
  readonly entry: string;
  /** where the result runs; default `node` */
  readonly platform?: 'node' | 'browser';
  readonly minify?: boolean;
  /** a folder in which the bundler keeps what it has built, if it can */
  readonly cache?: string;
}

/** Builds `dist/server.mjs`; rejects with what the bundler says. Gives the files that it built anew, where it tells. */
export type Bundler = (build: Build) => Promise<readonly string[] | undefined>;

const packages = /^(?:@flue\/runtime|hono|valibot|node:)/;

export const bundlers: Readonly<Record<string, Bundler>> = {
  async vite({ root, entry, platform = 'node', minify = false }) {
    const input = { server: entry };
    const output = { entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' };
    await vite.build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [viteFlue()],
      build: { ssr: platform === 'node', minify, rolldownOptions: { input, output, external: packages } },
    });
  },
  async rollup({ root, entry, minify = false }) {
    const stripped = async (code: string) => {
      const { code: js } = await esbuild.transform(code, { loader: 'ts', minify });
      return { code: js, map: null };
    };
    const strip = {
      name: 'strip-types',
      transform: (code: string, id: string) => (id.endsWith('.ts') ? stripped(code) : null),
    };
    const bundle = await rollup.rollup({
      input: { server: entry },
      external: packages,
      plugins: [rollupFlue({ root }), strip],
    });
    await bundle.write({ dir: `${root}/dist`, entryFileNames: '[name].mjs' });
    await bundle.close();
  },
  async rolldown({ root, entry, platform = 'node', minify = false }) {
    const bundle = await rolldown.rolldown({
      cwd: root,
      input: { server: entry },
      external: packages,
      platform,
      plugins: [rolldownFlue({ root })],
    });
    await bundle.write({ dir: `${root}/dist`, entryFileNames: '[name].mjs', minify });
    await bundle.close();
  },
  async esbuild({ root, entry, platform = 'node', minify = false }) {
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: { server: entry },
      outdir: 'dist',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform,
      packages: 'external',
      minify,
      logLevel: 'silent',
      plugins: [esbuildFlue()],
    });
  },
  async webpack(build) {
    const compiler = webpack({
      ...webpackLike(build),
      cache: build.cache ? { type: 'filesystem', cacheDirectory: build.cache } : false,
      module: {
        rules: [{ test: /\.ts$/, loader: fileURLToPath(new URL('strip-types.cjs', import.meta.url)) }],
      },
      plugins: [webpackFlue()],
    });
    return run(compiler);
  },
  async rspack(build) {
    const swc = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } };
    const compiler = rspack({
      ...(webpackLike(build) as RspackConfiguration),
      cache: build.cache
        ? { type: 'persistent', storage: { type: 'filesystem', directory: build.cache } }
        : false,
      module: {
        rules: [{ test: /\.ts$/, loader: 'builtin:swc-loader', options: swc, type: 'javascript/auto' }],
      },
      plugins: [rspackFlue()],
    });
    return run(compiler);
  },
};

function webpackLike({ root, entry, platform = 'node', minify = false }: Build) {
  return {
    context: root,
    mode: 'production' as const,
    devtool: false as const,
    entry: { server: entry },
    target: platform === 'node' ? ('node20' as const) : ('web' as const),
    externals: [packages],
    externalsType: 'module' as const,
    experiments: { outputModule: true },
    optimization: { minimize: minify },
    output: {
      path: `${root}/dist`,
      filename: '[name].mjs',
      chunkFilename: 'chunks/[name].mjs',
      module: true,
      chunkFormat: 'module' as const,
      library: { type: 'module' as const },
    },
  };
}

interface Stats {
  readonly compilation: {
    readonly modules: Iterable<{ identifier(): string }>;
    readonly builtModules: { has(module: never): boolean };
  };
  hasErrors(): boolean;
  toString(options: object): string;
}

function builtFiles({ compilation }: Stats): string[] {
  const built = [...compilation.modules].filter((module) => compilation.builtModules.has(module as never));
  return built.flatMap((module) => (module as { resource?: string }).resource ?? []);
}

interface Runnable {
  run(done: (error: Error | null, stats?: Stats) => void): void;
  close(done: (error?: Error | null) => void): void;
}

async function run(compiler: Runnable): Promise<readonly string[] | undefined> {
  try {
    return await new Promise((resolve, reject) => {
      compiler.run((error, stats) => {
        if (error) reject(error);
        else if (stats?.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })));
        else resolve(stats && builtFiles(stats));
      });
    });
  } finally {
    await new Promise((resolve) => compiler.close(resolve));
  }
}
