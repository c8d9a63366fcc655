import type { EngineUploads, EngineValue, RenderedChart } from '../../core/analysis/engine.ts';
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

/** Of a value that is larger than an answer: the items of a list that fit `maxBytes`, and how much there is. */
export function cutValue(text: string, bytes: number, maxBytes: number): Pick<EngineValue, 'text' | 'cut'> {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return { text: 'null', cut: { bytes, items: null } };
  const shown: string[] = [];
  let room = maxBytes - 2;
  for (const item of value) {
    const line = JSON.stringify(item);
    room -= Buffer.byteLength(line, 'utf8') + 1;
    if (room < 0) break;
    shown.push(line);
  }
  return { text: `[${shown.join(',')}]`, cut: { bytes, items: value.length } };
}
