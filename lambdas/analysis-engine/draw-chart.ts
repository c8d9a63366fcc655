import path from 'node:path';
import { type ChartColumn, chartData } from '../../core/analysis/chart-data.ts';
import type { ChartSpec } from '../../core/analysis/chart-spec.ts';
import { vegaChart } from '../../core/analysis/chart-vega.ts';
import { chartWords } from '../../core/analysis/chart-words.ts';
import type { RenderedChart } from '../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import type { ChartAnswer } from './chart-child.ts';
import { runLimited } from './limited-process.ts';
import type { EngineHost } from './run-job.ts';

/** Of one chart, in milliseconds and bytes. */
const deadlineMs = 20_000;
const maxPictureBytes = 4 * 1024 * 1024;

/** Draws in a process of its own. Throws `AnalysisFailed` and `AnalysisLimit`. */
export async function drawChart(
  chart: ChartSpec,
  columns: readonly ChartColumn[],
  rows: readonly (readonly unknown[])[],
  host: Pick<EngineHost, 'programs'>,
): Promise<RenderedChart> {
  const data = chartData(chart, columns, rows);
  if (data.marks.length === 0) throw new ClaimcheckError('AnalysisFailed', 'chart: there are no rows to draw');
  const end = await runLimited(path.join(host.programs, 'chart-child.mjs'), JSON.stringify(vegaChart(chart, data)), {
    addressSpaceKiB: 2_500_000,
    cpuSeconds: 15,
    heapMiB: 256,
    deadlineMs,
    maxAnswerBytes: maxPictureBytes,
  });
  if (end.kind !== 'answered') {
    throw new ClaimcheckError('AnalysisLimit', 'chart: it could not be drawn within its limits; draw fewer marks');
  }
  const answer = JSON.parse(end.text) as ChartAnswer;
  if (!answer.ok) throw new ClaimcheckError('AnalysisFailed', 'chart: it could not be drawn');
  return { svg: answer.svg, png: answer.png, marks: data.marks.length, altText: chartWords(chart, data) };
}
