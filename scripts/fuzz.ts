import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { shownPath } from '../core/scan/key-path.ts';
import { scanBytes } from '../core/scan/result-scanner.ts';
import { checkIndex, checkJsonPreview, expectedList, scanPieces } from '../test/unit/scan/oracle.ts';
import { argumentsOf, wholeNumber } from './arguments.ts';

/**
 * Random JSON, spellings, mutations, chunk cuts and budgets through scanner, preview and index, against a naive reading
 * by `JSON.parse`. Prints the first input that breaks a rule and exits 1.
 */
const command = {
  name: 'fuzz',
  usage: `npm run fuzz [-- --seconds N] [--seed N]

Random JSON through scanner, preview and index, against a naive reading. Prints the first input that breaks a rule.

  --seconds N  how long (default 60)
  --seed N     begin with this seed, as a failure named it (default: by the clock)
`,
  options: { seconds: 'a number of seconds', seed: 'a number' },
} as const;
const asked = argumentsOf(command);
const seconds = wholeNumber(command, asked, 'seconds', { min: 0, otherwise: 60 });
const seed = wholeNumber(command, asked, 'seed', { min: 0, otherwise: Date.now() % 1_000_000_000 });

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('__proto__', 'constructor', 'a.b', '', '"\\', ']}{[', '\ud800', 'x'.repeat(3000), '検'.repeat(700)),
);
const value = fc.letrec<{ any: unknown; list: unknown; object: unknown; row: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<unknown>(null, true, false, 0, -0.5, 1e300, 123456789.125),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    texts,
    tie('list'),
    tie('object'),
  ),
  list: fc.oneof(fc.array(tie('any'), { maxLength: 6 }), fc.array(tie('row'), { maxLength: 40 })),
  object: fc.dictionary(texts, tie('any'), { maxKeys: 6, noNullPrototype: true }),
  row: fc.record({ id: fc.nat(), name: texts, tags: fc.array(texts, { maxLength: 3 }) }, { requiredKeys: ['id'] }),
}));
const document = fc.oneof(value.any, value.list, value.object);
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5000 })), {
  minLength: 1,
  maxLength: 5,
});
const input = fc.record({
  document,
  indent: fc.constantFrom<string | number | undefined>(undefined, undefined, 1, '\t'),
  bom: fc.boolean(),
  repeat: fc.constantFrom(1, 1, 1, 1, 60),
  sizes,
  detect: fc.constantFrom(1, 7, 100, 65_536),
  budgets: fc.array(fc.nat({ max: 4000 }), { minLength: 2, maxLength: 5 }),
  edits: fc.array(
    fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat({ max: 255 }), drop: fc.nat({ max: 3 }) }),
    { maxLength: 3 },
  ),
});

type Input = typeof input extends fc.Arbitrary<infer T> ? T : never;

async function checkValid(one: Input): Promise<void> {
  const rows = one.repeat === 1 ? one.document : Array.from({ length: one.repeat }, () => one.document);
  const text = JSON.stringify(rows, null, one.indent);
  const parsed: unknown = JSON.parse(text);
  const bytes = Buffer.from(one.bom ? `\ufeff${text}` : text);
  const budgets = [...one.budgets, bytes.length].sort((a, b) => a - b);
  let last = 0;
  for (const budget of budgets) {
    const whole = scanBytes(bytes, { previewBytes: budget, profile: true });
    const cut = scanPieces(bytes, one.sizes, { previewBytes: budget, profile: true, detectBytes: one.detect });
    if (!isDeepStrictEqual(whole, cut)) throw new Error('cutting the bytes elsewhere changed the summary');
    if (whole.kind !== 'json') throw new Error(`kind ${whole.kind}`);
    if (whole.parseLoss !== null) throw new Error(`loss: ${whole.parseLoss.note}`);
    checkJsonPreview(whole, parsed, budget);
    if (whole.preview.shown < last) throw new Error(`budget ${budget} shows ${whole.preview.shown}, less than ${last}`);
    last = whole.preview.shown;
    const expected = expectedList(parsed);
    const path = expected.path === null ? null : shownPath(expected.path);
    if (one.indent === undefined && whole.path !== path) throw new Error(`path ${whole.path} not ${expected.path}`);
    if (one.indent === undefined && whole.records !== expected.rows.length) throw new Error(`records ${whole.records}`);
    if (one.indent === undefined && budget === budgets[0]) await checkIndex(bytes, whole, expected.rows);
  }
}

/** Broken bytes: nothing is thrown, cutting changes nothing, and what is shown of JSON parses. */
function checkBroken(one: Input): void {
  let bytes = Buffer.from(JSON.stringify(one.document, null, one.indent));
  for (const edit of one.edits) {
    const at = Math.floor(edit.at * bytes.length);
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([edit.byte]), bytes.subarray(at + edit.drop)]);
  }
  let last = 0;
  for (const budget of [...one.budgets].sort((a, b) => a - b)) {
    const whole = scanBytes(bytes, { previewBytes: budget, profile: true });
    const cut = scanPieces(bytes, one.sizes, { previewBytes: budget, profile: true });
    if (!isDeepStrictEqual(whole, cut)) throw new Error('cutting the bytes elsewhere changed the summary');
    if (Buffer.byteLength(whole.preview.text) > budget) throw new Error('over budget');
    if (whole.kind === 'json' && budget >= 2) JSON.parse(whole.preview.text);
    if (whole.kind === 'ndjson')
      for (const line of whole.preview.text.split('\n')) if (line.trim() !== '') JSON.parse(line);
    if (whole.preview.shown < last) throw new Error('a larger budget shows fewer');
    last = whole.preview.shown;
    // Any small head to tell the kind by must do without exceptions too.
    scanPieces(bytes, one.sizes, { previewBytes: budget, detectBytes: one.detect });
  }
}

const until = Date.now() + seconds * 1000;
let runs = 0;
for (let round = 0; Date.now() < until; round++) {
  const outcome = await fc.check(
    fc.asyncProperty(input, async (one) => {
      if (one.edits.length === 0) await checkValid(one);
      else checkBroken(one);
      runs++;
    }),
    { seed: seed + round, numRuns: 200, interruptAfterTimeLimit: Math.max(1, until - Date.now()) },
  );
  if (outcome.failed && outcome.counterexample !== null) {
    process.stdout.write(
      `${fc.defaultReportMessage(outcome) ?? ''}\n${String((outcome.errorInstance as Error)?.stack)}\n`,
    );
    process.exit(1);
  }
}
process.stdout.write(`fuzz: ${runs} inputs in ${seconds} s, nothing found (seed ${seed})\n`);
