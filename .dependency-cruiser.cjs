/**
 * The arrows of the house, as rules. An import that points against one fails `npm run check`; so does a circle of
 * value imports. Type-only imports count too: what a layer knows is what it can be broken by.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const packages = ['runtime', 'compiler', 'unplugin', 'ts-plugin'];

/** From top to bottom; an import points down this list or stays in its folder. */
const layers = [
  'testing',
  'transports',
  'app',
  'submissions',
  'engine',
  'conversation',
  'adapters',
  'ports',
  'errors',
  'contract',
];

/** Tests and their fixtures stand beside the source and hold real parts of every layer; they are nobody's dependency. */
const TEST = '[.](test|fixture)[.]';
const FRONT_DOOR = '^runtime/src/[^/]+[.]ts$';

module.exports = {
  forbidden: [
    ...betweenPackages(),
    ...insideRuntime(),
    ...insideCompiler(),
    {
      name: 'no-circle',
      comment: 'Two files that need each other, be it for a type, usually hide a third one below both.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-imports-tests',
      comment: 'Tests and the test workspace are ends, not means.',
      severity: 'error',
      from: { pathNot: [TEST, '^test/'] },
      to: { path: [TEST, '^test/'] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere would escape every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^virtual:flue/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: '(^|/)(dist|[.]flue|fixtures|pairs)/|/rules/[^/]+/examples/|/examples/bad-|^test/bench/peers/',
    },
    tsConfig: { fileName: '.tsconfig.base.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['flue-source', 'types', 'import', 'node', 'default', 'require'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts', '.d.mts'],
      mainFields: ['types', 'module', 'main'],
    },
  },
};

function betweenPackages() {
  const allowed = {
    runtime: [],
    compiler: [
      sourceOf('runtime', './internal'),
      sourceOf('runtime', './config'),
      sourceOf('runtime', './tool'),
    ],
    unplugin: [...entriesOf('compiler'), ...entriesOf('runtime')],
    'ts-plugin': [sourceOf('compiler', './analysis'), sourceOf('runtime', './internal')],
  };
  return [
    ...packages.map((name) => ({
      name: `${name}-knows`,
      comment: `What ${name} may import of the other packages; anything else is loaded by name when a command needs it.`,
      severity: 'error',
      from: { path: `^${name}/` },
      to: { path: `^(${others(name)}|examples)/`, pathNot: allowed[name].map(exactly) },
    })),
    {
      name: 'published-entries-only',
      comment: 'Examples and cross-package tests import what a user would import.',
      severity: 'error',
      from: { path: '^(examples|test)/' },
      to: { path: `^(${packages.join('|')})/`, pathNot: packages.flatMap(entriesOf).map(exactly) },
    },
    {
      name: 'internal-is-ours',
      comment: '`@flue/runtime/internal` promises users nothing.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: exactly(sourceOf('runtime', './internal')) },
    },
    {
      name: 'packages-by-name',
      comment: 'Another package is imported by its name, never by a path into its folder.',
      severity: 'error',
      from: { path: `^(${[...packages, 'examples/[^/]+', 'test'].join('|')})/` },
      to: { path: `^(${packages.join('|')})/`, pathNot: '^$1/', dependencyTypes: ['local'] },
    },
  ];
}

function insideRuntime() {
  return [
    ...layers.slice(1).map((layer, index) => ({
      name: `${layer}-points-down`,
      comment: `An import of ${layer} points down the list of layers or stays in its folder.`,
      severity: 'error',
      from: { path: `^runtime/src/${layer}/`, pathNot: TEST },
      to: { path: `^runtime/src/(${layers.slice(0, index + 1).join('|')})/` },
    })),
    {
      name: 'front-doors-open-outward',
      comment: 'Inside the runtime the file is imported, not the entry that publishes it.',
      severity: 'error',
      from: { path: '^runtime/src/[^/]+/', pathNot: TEST },
      to: { path: FRONT_DOOR },
    },
    {
      name: 'adapters-are-picked-at-the-door',
      comment: 'Only front doors (and the testing kit) decide which adapter serves a port.',
      severity: 'error',
      from: { path: '^runtime/src/(?!testing/|adapters/)[^/]+/', pathNot: TEST },
      to: { path: '^runtime/src/adapters/' },
    },
    {
      name: 'conversation-is-pure',
      comment: 'Folds and projections take data and return data: no disk, no clock, no process.',
      severity: 'error',
      from: { path: '^runtime/src/(conversation|ports)/', pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'contract-is-plain-data',
      comment: 'The contract loads nothing; only the schema of the manifest needs Valibot.',
      severity: 'error',
      from: { path: '^runtime/src/contract/', pathNot: [TEST, '^runtime/src/contract/manifest[.]ts$'] },
      to: { pathNot: '^runtime/src/contract/' },
    },
    {
      name: 'manifest-needs-valibot-only',
      comment: 'The contract loads nothing; only the schema of the manifest needs Valibot.',
      severity: 'error',
      from: { path: '^runtime/src/contract/manifest[.]ts$' },
      to: { pathNot: ['^runtime/src/contract/', '(^|/)node_modules/valibot/'] },
    },
  ];
}

function insideCompiler() {
  return [
    {
      name: 'analysis-is-handed-its-typescript',
      comment:
        'An editor runs its own TypeScript, so the analysis imports none, and touches neither disk nor process.',
      severity: 'error',
      from: { path: '^compiler/src/analysis/', pathNot: TEST },
      to: {
        path: [
          '(^|/)node_modules/typescript/',
          '(^|/)node_modules/ts-morph/',
          '(^|/)node_modules/@ts-morph/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'analysis-touches-no-machine',
      comment: 'Files and modules come from the host that the analysis is given.',
      severity: 'error',
      from: { path: '^compiler/src/analysis/', pathNot: TEST },
      to: { dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'analysis-stands-alone',
      comment: 'The rule engine runs inside an editor, where the rest of the compiler does not exist.',
      severity: 'error',
      from: { path: '^compiler/src/analysis/', pathNot: TEST },
      to: { path: '^compiler/src/(?!analysis/)' },
    },
    {
      name: 'one-door-to-the-disk',
      comment:
        'A check that nothing changed for is not made again, so it has to know all that it read: project/disk.ts notes it.',
      severity: 'error',
      from: {
        path: '^compiler/src/(project|emit/evaluate|compile[.]ts)',
        pathNot: ['^compiler/src/project/(disk|find-root|watch-disk|write-fixed)[.]ts$', TEST],
      },
      to: { path: '^(node:)?fs(/promises)?$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ts-morph-stays-in-project',
      comment: 'One folder knows ts-morph; the rest sees plain nodes of TypeScript.',
      severity: 'error',
      from: { path: '^compiler/src/', pathNot: ['^compiler/src/project/', TEST] },
      to: { path: '(^|/)node_modules/ts-morph/' },
    },
  ];
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(__dirname, name, 'package.json'), 'utf8'));
}

/** Source file of one published entry, e.g. `runtime/src/internal.ts`. */
function sourceOf(name, entry) {
  const source = manifestOf(name).exports?.[entry]?.['flue-source'];
  return source ? `${name}/${source.slice(2)}` : `${name}/${entry.slice(2)}`;
}

function entriesOf(name) {
  return Object.keys(manifestOf(name).exports ?? {}).map((entry) => sourceOf(name, entry));
}

function others(name) {
  return packages.filter((other) => other !== name).join('|');
}

function exactly(path) {
  return `^${path.replaceAll('.', '[.]')}$`;
}
