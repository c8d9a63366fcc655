/**
 * Evaluated in the guest before the script. It takes its own copies of the two functions of JSON, gives the script
 * `rows(name)`, and keeps a finisher that turns the result into text inside the guest and refuses what is too long.
 * Batches come as NDJSON text through the one function of the host, which is gone from the globals afterwards; asked for
 * no name, it ends the walk.
 */
export const prelude = `
(() => {
  'use strict';
  const batchOf = globalThis.__batch;
  delete globalThis.__batch;
  const parse = JSON.parse, stringify = JSON.stringify, TypeErrorOf = TypeError, RangeErrorOf = RangeError;
  const split = String.prototype.split, apply = Reflect.apply, fromCode = String.fromCharCode(10);
  const names = parse(globalThis.__names), limit = globalThis.__limit;
  delete globalThis.__names; delete globalThis.__limit;
  let opened = 0;
  const open = function* (name) {
    const reader = ++opened;
    try {
      for (;;) {
        const text = batchOf(name, reader);
        if (text === '') return;
        const lines = apply(split, text, [fromCode]);
        for (let at = 0; at < lines.length; at++) if (lines[at] !== '') yield parse(lines[at]);
      }
    } finally {
      batchOf('', reader);
    }
  };
  const known = (name) => {
    const wanted = name === undefined && names.length === 1 ? names[0] : name;
    for (let at = 0; at < names.length; at++) if (names[at] === wanted) return wanted;
    throw new TypeErrorOf('rows: expected one of ' + names.join(', '));
  };
  const rows = (name) => open(known(name));
  Object.defineProperty(globalThis, 'rows', { value: rows });
  Object.defineProperty(globalThis, '__finish', { value: (value) => {
    if (value !== null && typeof value === 'object' && typeof value.then === 'function') {
      throw new TypeErrorOf('script: it runs at once; return the value itself, not a promise of it');
    }
    const text = stringify(value === undefined ? null : value);
    if (text === undefined) throw new TypeErrorOf('script: return a value that JSON can hold');
    if (text.length > limit) throw new RangeErrorOf('script: the result has ' + text.length + ' characters, at most ' + limit + ' are kept');
    return text;
  } });
})();
`;
