import { createHash } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';
import { keepText, type TextToKeep } from '../hand-off/keep-text.ts';
import { columnNames } from '../read/record-text.ts';
import type { Run } from '../run/run.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { AnalysisCall, AnalysisPorts } from './analyze-result.ts';
import type { Source } from './answer.ts';
import type { EngineTable, EngineValue, UploadedOutput } from './engine.ts';
import type { OutputName, StagedOutputs } from './staged-outputs.ts';

/** What of an analysis was stored as results of their own. */
export interface KeptOutputs {
  readonly answer: ResultIndex | null;
  /** PNG. */
  readonly picture: ResultIndex | null;
  readonly drawing: ResultIndex | null;
  /** An attempt whose answer was lost had stored them, and computed again they came out otherwise: what stands, stands. */
  readonly differs: boolean;
}

type Content = Pick<TextToKeep, 'text' | 'contentType' | 'fileName'>;

/**
 * Stores what is to be kept: the rows where the model asks for it, a chart always. Each derived result carries the gates
 * of all its sources and goes no later than the earliest of them (DESIGN 7.4). Throws `AnalysisLimit` for an answer that
 * is more than may be kept, and `StorageUnavailable` for an upload that is not what the engine said: no part is stored
 * as if it were the answer.
 */
export async function keepOutputs(
  run: Run,
  call: AnalysisCall,
  answer: EngineTable | EngineValue,
  keep: boolean,
  sources: readonly Source[],
  staged: StagedOutputs,
  ports: AnalysisPorts,
): Promise<KeptOutputs> {
  const derived = {
    ...call,
    tool: 'analyze_result',
    gates: [...new Set(sources.flatMap(({ entry }) => entry.gates))],
    derivedFrom: [...new Set(sources.map(({ entry }) => entry.ref))],
    noLaterThan: sources.map(({ entry }) => entry.availableUntil),
  };
  let differs = false;
  const store = async (name: string, content: Content) => {
    const index = await keepText(run, { ...derived, key: `${name}/${call.turn}/${call.index}`, ...content }, ports);
    differs ||= index.sha256 !== digestOf(content.text);
    return index;
  };
  const maxBytes = staged.uploads?.answer?.maxBytes ?? ports.limits.maxOutputBytes;
  const stored = keep ? await store('kept', await wholeAnswer(answer, staged, maxBytes)) : null;
  if (answer.chart === null) return { answer: stored, picture: null, drawing: null, differs };
  const { svg, png } = answer.chart;
  const drawn = (name: OutputName, output: string | UploadedOutput, encoding: 'utf8' | 'base64') =>
    typeof output === 'string' ? Buffer.from(output, encoding) : staged.taken(name, output);
  const picture = await store('chart', {
    text: await drawn('picture', png, 'base64'),
    contentType: 'image/png',
    fileName: 'chart.png',
  });
  const drawing = await store('drawing', {
    text: await drawn('drawing', svg, 'utf8'),
    contentType: 'image/svg+xml',
    fileName: 'chart.svg',
  });
  return { answer: stored, picture, drawing, differs };
}

function digestOf(text: Content['text']): string {
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) return text.sha256;
  return createHash('sha256').update(text).digest('hex');
}

/** Rows as a list of objects, or as NDJSON where they came by the store; a script's value as it is. */
async function wholeAnswer(
  answer: EngineTable | EngineValue,
  staged: StagedOutputs,
  maxBytes: number,
): Promise<Content> {
  const { uploaded } = answer;
  if (uploaded !== undefined && uploaded !== null) {
    const text = await staged.taken('answer', uploaded);
    return answer.outcome === 'table'
      ? {
          text: { ...text, lines: true, records: answer.rowCount },
          contentType: 'application/x-ndjson',
          fileName: 'analysis.ndjson',
        }
      : { text, contentType: 'application/json', fileName: 'analysis.json' };
  }
  if (answer.outcome === 'value') {
    if (answer.cut != null) throw tooLarge('the result has', answer.cut.bytes, 'bytes', maxBytes);
    return { text: answer.text, fileName: 'analysis.json' };
  }
  if (answer.rows.length < answer.rowCount) throw tooLarge('the answer’s', answer.rowCount, 'rows', maxBytes);
  const names = columnNames(answer.columns.map(({ name }) => name)).map((name) => JSON.stringify(name));
  const records = answer.rows.map((row) => `{${row.map((cell, at) => `${names[at]}:${cell}`).join(',')}}`);
  return { text: `[${records.join(',\n')}]`, fileName: 'analysis.json' };
}

function tooLarge(what: string, count: number, unit: string, maxBytes: number): ClaimcheckError {
  return new ClaimcheckError(
    'AnalysisLimit',
    `keep: ${what} ${count} ${unit} are more than the ${maxBytes} bytes that are kept; keep fewer rows or columns`,
  );
}
