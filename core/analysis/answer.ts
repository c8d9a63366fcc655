import type { Coverage } from '../coverage/coverage.ts';
import { ClaimcheckError } from '../errors.ts';
import type { GrantedResult } from '../grant/check-grant.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { coverageOfRead } from '../read/read-coverage.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { EngineTable, EngineValue } from './engine.ts';
import type { KeptOutputs } from './keep-outputs.ts';
import { listItems } from './value-text.ts';

/** An input of an analysis: the name it goes by, and the stored result behind it. */
export type Source = GrantedResult & { readonly name: string };

export interface AnalysisAnswer {
  readonly text: string;
  readonly delivered: JsonValue;
  readonly rowCount: number;
  readonly shown: number;
}

/** Longest list of columns that is repeated for an input, in bytes. */
const maxColumnBytes = 2_048;

/**
 * What the model gets: rows (or a value), how many there are, what they were computed over, and the references of what
 * was kept; everything together within `maxBytes`. Rows that find no room are counted, never silently missing.
 */
export function answerOf(
  answer: EngineTable | EngineValue,
  sources: readonly Source[],
  kept: KeptOutputs,
  limits: { readonly maxBytes: number; readonly baseUrl: string },
): AnalysisAnswer {
  const facts = { inputs: inputFacts(answer, sources), ...keptFacts(answer, kept, limits.baseUrl) };
  const bounded = answer.outcome === 'table' ? boundedRows(answer, facts, limits) : boundedValue(answer, facts, limits);
  if (Buffer.byteLength(bounded.text, 'utf8') > limits.maxBytes) {
    throw new ClaimcheckError(
      'AnalysisLimit',
      'the names of the columns alone are longer than an answer; select fewer',
    );
  }
  return { ...bounded, delivered: delivered(answer, sources, kept) };
}

function boundedRows(
  answer: EngineTable,
  facts: JsonObject,
  { maxBytes }: { readonly maxBytes: number },
): { text: string; rowCount: number; shown: number } {
  const columns = JSON.stringify(answer.columns.map(({ name }) => name));
  const compose = (rows: readonly string[]) => {
    const left = answer.rowCount - rows.length;
    const note = left === 0 ? '' : `,"note":${JSON.stringify(missing(left, answer.rowCount))}`;
    return `{"columns":${columns},"rows":[${rows.join(',')}],"row_count":${answer.rowCount},"rows_shown":${rows.length}${note},${JSON.stringify(facts).slice(1)}`;
  };
  const lines = answer.rows.map((row) => `[${row.join(',')}]`);
  return {
    text: largest(lines, compose, maxBytes),
    rowCount: answer.rowCount,
    shown: shownOf(lines, compose, maxBytes),
  };
}

const missing = (left: number, all: number): string =>
  `${left} of ${all} rows found no room here; group or filter more, or use "keep": true and read them by its ref`;

/** How many lines fit: a number that never falls as the room grows. */
function shownOf(lines: readonly string[], compose: (rows: readonly string[]) => string, maxBytes: number): number {
  let bytes = Buffer.byteLength(compose([]), 'utf8') + 24;
  let shown = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line, 'utf8') + 1;
    if (bytes > maxBytes) break;
    shown += 1;
  }
  return shown;
}

function largest(lines: readonly string[], compose: (rows: readonly string[]) => string, maxBytes: number): string {
  return compose(lines.slice(0, shownOf(lines, compose, maxBytes)));
}

function boundedValue(
  answer: EngineValue,
  facts: JsonObject,
  limits: { readonly maxBytes: number },
): { text: string; rowCount: number; shown: number } {
  const lines = listItems(answer.text);
  if (lines !== null) {
    const all = answer.cut?.items ?? lines.length;
    const compose = (rows: readonly string[]) => {
      const left = all - rows.length;
      const note = left === 0 ? '' : `,"note":${JSON.stringify(missing(left, all))}`;
      return `{"rows":[${rows.join(',')}],"row_count":${all},"rows_shown":${rows.length}${note},${JSON.stringify(facts).slice(1)}`;
    };
    return {
      text: largest(lines, compose, limits.maxBytes),
      rowCount: all,
      shown: shownOf(lines, compose, limits.maxBytes),
    };
  }
  const whole = `{"result":${answer.text},${JSON.stringify(facts).slice(1)}`;
  const cut = answer.cut ?? null;
  if (cut === null && Buffer.byteLength(whole, 'utf8') <= limits.maxBytes)
    return { text: whole, rowCount: 1, shown: 1 };
  const bytes = cut?.bytes ?? Buffer.byteLength(answer.text, 'utf8');
  const note = `the result has ${bytes} bytes and found no room here; return less, or use "keep": true and read it by its ref`;
  return { text: JSON.stringify({ result: null, note, ...facts }), rowCount: 1, shown: 0 };
}

/** Coverage of each input: the engine reads every record there is. */
function inputFacts(answer: EngineTable | EngineValue, sources: readonly Source[]): JsonObject {
  return Object.fromEntries(
    sources.map(({ name, index }) => {
      const loaded = answer.inputs.find((input) => input.name === name);
      const columns = loaded?.columns.map((column) => `${column.name} ${column.type}`).join(', ') ?? '';
      const short = columns.length > maxColumnBytes ? `${columns.slice(0, maxColumnBytes)}…` : columns;
      const coverage = coverageOfInput(index, loadedOf(answer, name));
      return [
        name,
        {
          ref: index.ref,
          bytes: index.bytes,
          coverage: coverage as unknown as JsonValue,
          // A single query seldom needs them twice: they are told where the answer is small.
          ...(short === '' || sources.length * short.length > maxColumnBytes ? {} : { columns: short }),
        },
      ];
    }),
  );
}

/** Records of one input, by the engine's own count. */
function loadedOf(answer: EngineTable | EngineValue, name: string): number {
  return answer.inputs.find((input) => input.name === name)?.records ?? 0;
}

/** The whole was asked for, and what the engine took in was delivered. */
export function coverageOfInput(index: ResultIndex, loaded: number): Coverage {
  const {
    left: _left,
    next_part: _part,
    ...coverage
  } = coverageOfRead(index, {
    offset: 0,
    limit: null,
    delivered: loaded,
    projected: false,
    cut: false,
    stoppedBy: null,
  });
  return coverage;
}

const keptBefore =
  'what is kept came of this same call when it was made before; computed again it came out otherwise than what is kept';

function keptFacts(answer: EngineTable | EngineValue, kept: KeptOutputs, baseUrl: string): JsonObject {
  const link = (ref: string): string => `${baseUrl}/results/${ref}`;
  return {
    ...(kept.differs ? { kept_before: keptBefore } : {}),
    ...(kept.answer === null
      ? {}
      : {
          kept: {
            ref: kept.answer.ref,
            bytes: kept.answer.bytes,
            [kept.answer.unit]: kept.answer.records,
            derived_from: [...kept.answer.derivedFrom],
            available_until: kept.answer.availableUntil,
            download_url: link(kept.answer.ref),
          },
        }),
    ...(answer.chart === null || kept.picture === null
      ? {}
      : {
          chart: {
            ref: kept.picture.ref,
            download_url: link(kept.picture.ref),
            ...(kept.drawing === null ? {} : { svg_url: link(kept.drawing.ref) }),
            alt_text: answer.chart.altText,
            marks: answer.chart.marks,
            available_until: kept.picture.availableUntil,
          },
        }),
  };
}

/**
 * Facts for markers, the basis and the links beside the answer: what was kept is a person's to open (of a chart the
 * picture). Of several inputs no single coverage speaks.
 */
function delivered(answer: EngineTable | EngineValue, sources: readonly Source[], kept: KeptOutputs): JsonValue {
  const only = sources.length === 1 ? sources[0] : undefined;
  return {
    kind: 'analysis',
    refs: [...new Set(sources.map(({ index }) => index.ref))],
    wholeInput: sources.every(({ name, index }) => loadedOf(answer, name) >= index.records),
    kept: [kept.answer, kept.picture].flatMap((stored) => (stored === null ? [] : [stored.ref])),
    ...(only === undefined
      ? {}
      : { coverage: coverageOfInput(only.index, loadedOf(answer, only.name)) as unknown as JsonValue }),
  };
}
