import type { EngineUploads, RenderedChart } from '../../core/analysis/engine.ts';
import type { DrawnChart } from './draw-chart.ts';
import type { OutputUploader } from './upload-output.ts';

/** Both pictures as text that still go into the answer, beside the rows and within what Lambda hands over, in bytes. */
const inlinePictureBytes = 1024 * 1024;

/** A chart as it is answered: its pictures inside where they are small or may not be left elsewhere, else uploaded. */
export async function handOver(
  chart: DrawnChart,
  uploads: EngineUploads | null,
  upload: OutputUploader,
): Promise<RenderedChart> {
  const { svg, png } = chart;
  const picture = uploads?.picture;
  const drawing = uploads?.drawing;
  if (!picture || !drawing || Buffer.byteLength(svg, 'utf8') + png.length <= inlinePictureBytes) return chart;
  return {
    ...chart,
    png: await upload('chart', Buffer.from(png, 'base64'), picture),
    svg: await upload('chart', Buffer.from(svg, 'utf8'), drawing),
  };
}
