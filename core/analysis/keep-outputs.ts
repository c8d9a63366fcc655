import { ClaimcheckError } from '../errors.ts';
import { keepText } from '../hand-off/keep-text.ts';
import type { Run } from '../run/run.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { AnalysisCall, AnalysisPorts } from './analyze-result.ts';
import type { Source } from './answer.ts';
import type { EngineTable, EngineValue } from './engine.ts';

/** What of an analysis was stored as results of their own. */
export interface KeptOutputs {
  readonly answer: ResultIndex | null;
  /** PNG. */
  readonly picture: ResultIndex | null;
  readonly drawing: ResultIndex | null;
}

/**
 * Stores what is to be kept: the rows where the model asks for it, a chart always. Each derived result carries the gates
 * of all its sources and goes no later than the earliest of them (DESIGN 7.4). Throws `AnalysisLimit` for an answer
 * that the engine could not hand over whole: no part is stored as if it were the answer.
 */
export async function keepOutputs(
  run: Run,
  call: AnalysisCall,
  answer: EngineTable | EngineValue,
  keep: boolean,
  sources: readonly Source[],
  ports: AnalysisPorts,
): Promise<KeptOutputs> {
  const derived = {
    ...call,
    tool: 'analyze_result',
    gates: [...new Set(sources.flatMap(({ entry }) => entry.gates))],
    derivedFrom: [...new Set(sources.map(({ entry }) => entry.ref))],
    noLaterThan: sources.map(({ entry }) => entry.availableUntil),
  };
  const place = `${call.turn}/${call.index}`;
  const stored = keep
    ? await keepText(
        run,
        { ...derived, key: `kept/${place}`, text: wholeText(answer), fileName: 'analysis.json' },
        ports,
      )
    : null;
  if (answer.chart === null) return { answer: stored, picture: null, drawing: null };
  const { svg, png } = answer.chart;
  const picture = await keepText(
    run,
    {
      ...derived,
      key: `chart/${place}`,
      text: Buffer.from(png, 'base64'),
      contentType: 'image/png',
      fileName: 'chart.png',
    },
    ports,
  );
  const drawing = await keepText(
    run,
    { ...derived, key: `drawing/${place}`, text: svg, contentType: 'image/svg+xml', fileName: 'chart.svg' },
    ports,
  );
  return { answer: stored, picture, drawing };
}

/** Rows as a list of objects, numbers digit by digit; a script's value as it is. */
function wholeText(answer: EngineTable | EngineValue): string {
  if (answer.outcome === 'value') return answer.text;
  if (answer.rows.length < answer.rowCount) {
    throw new ClaimcheckError(
      'AnalysisLimit',
      `keep: ${answer.rowCount} rows are more than can be handed over (${answer.rows.length} fit); keep fewer rows or columns`,
    );
  }
  const names = answer.columns.map(({ name }) => JSON.stringify(name));
  const records = answer.rows.map((row) => `{${row.map((cell, at) => `${names[at]}:${cell}`).join(',')}}`);
  return `[${records.join(',\n')}]`;
}
