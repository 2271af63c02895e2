const { transformSync } = require('esbuild');

/** A loader for webpack, which reads no TypeScript by itself. */
module.exports = function stripTypes(source) {
  return transformSync(source, { loader: 'ts', format: 'esm' }).code;
};
