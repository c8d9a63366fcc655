/**
 * DuckDB's code for this machine. The package's own way to it looks for the kind of C library first, which costs a tenth
 * of the start of a query; it is taken where this is not enough.
 */
const own = `@duckdb/node-bindings-${process.platform}-${process.arch}/duckdb.node`;
// No literal: the bundler has put this file in its place.
const usual = ['@duckdb', 'node-bindings'].join('/');

function load() {
  try {
    return require(own);
  } catch {
    return require(usual);
  }
}

module.exports = load();
