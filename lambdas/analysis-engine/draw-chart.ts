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

/** Of one chart, in milliseconds. */
const deadlineMs = 20_000;
/** Of both pictures as they come from the process, where they have to fit an answer, and where they may be uploaded. */
const maxHandedBytes = 4 * 1024 * 1024;
const maxDrawnBytes = 24 * 1024 * 1024;

/** A chart with both its pictures at hand. */
export interface DrawnChart extends RenderedChart {
  readonly svg: string;
  readonly png: string;
}

/** Draws in a process of its own; `uploadBytes` is what a picture may have that is uploaded. Throws `AnalysisFailed` and `AnalysisLimit`. */
export async function drawChart(
  chart: ChartSpec,
  columns: readonly ChartColumn[],
  rows: readonly (readonly unknown[])[],
  host: Pick<EngineHost, 'programs'>,
  uploadBytes = 0,
): Promise<DrawnChart> {
  const data = chartData(chart, columns, rows);
  if (data.marks.length === 0) throw new ClaimcheckError('AnalysisFailed', 'chart: there are no rows to draw');
  const end = await runLimited(path.join(host.programs, 'chart-child.mjs'), JSON.stringify(vegaChart(chart, data)), {
    addressSpaceKiB: 2_500_000,
    cpuSeconds: 15,
    heapMiB: 256,
    deadlineMs,
    maxAnswerBytes: Math.max(maxHandedBytes, Math.min(uploadBytes, maxDrawnBytes)),
  });
  if (end.kind !== 'answered') {
    throw new ClaimcheckError('AnalysisLimit', 'chart: it could not be drawn within its limits; draw fewer marks');
  }
  const answer = JSON.parse(end.text) as ChartAnswer;
  if (!answer.ok) throw new ClaimcheckError('AnalysisFailed', 'chart: it could not be drawn');
  return { svg: answer.svg, png: answer.png, marks: data.marks.length, altText: chartWords(chart, data) };
}
