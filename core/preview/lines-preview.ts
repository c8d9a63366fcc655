import type { ListCollector } from '../scan/list-collector.ts';
import { markOddValues } from '../scan/odd-values.ts';
import { asBuffer, characterPrefix, fitting, mended, recordText } from './fitting.ts';
import type { Preview } from './preview.ts';
import { madePreview, type PreviewSource } from './preview-source.ts';
import { shortenedMark, shortenedValue } from './shortened-value.ts';

/** NDJSON records up to this size are shown whole or not at all, as in a JSON list. */
const worthShortening = 1024;

/** NDJSON, delimited rows under their header, or text: the first whole lines. */
export function linesPreview(source: PreviewSource): Preview {
  const { facts, budget, records, kind } = source;
  const head = (facts.list as ListCollector).head();
  const table = facts.table;
  // Rows are shown from the header on; other lines from the first record on.
  const from = table === null ? (head.spans[0] ?? 0) : 0;
  const text = recordText(head, from, '\n');
  const shown = fitting(text, budget);
  if (shown > 0) {
    const complete = shown === records && facts.parseLoss === null;
    return madePreview(text.bytes(shown), shown, { complete });
  }
  const first = records === 0 ? {} : { firstRecordBytes: head.firstRecordBytes };
  if (table !== null) {
    const header = mended(trimLineEnd(head.bytes.subarray(0, table.dataOffset - head.open)));
    return madePreview(header.length <= budget ? header : Buffer.alloc(0), 0, first);
  }
  if (records === 0) return madePreview(Buffer.alloc(0), 0, first);
  const line = head.bytes.subarray(head.firstRecordAt, head.firstRecordAt + head.firstRecordBytes);
  if (kind === 'ndjson') {
    const worth = head.firstRecordBytes > worthShortening;
    const value = worth ? shortenedValue(mended(head.odd.has(0) ? markOddValues(line) : line), budget) : null;
    return madePreview(value ?? Buffer.alloc(0), 0, value === null ? first : { ...first, shortened: true });
  }
  return madePreview(cutLine(mended(line), budget), 0, { ...first, shortened: true });
}

/** A line's beginning with the mark after it; only the mark's first character, or nothing, where that is all that fits. */
function cutLine(line: Uint8Array, budget: number): Buffer {
  const mark = [shortenedMark, '…', ''].find((text) => Buffer.byteLength(text) <= budget) as string;
  const prefix = characterPrefix(line, budget - Buffer.byteLength(mark));
  return mark === '' ? Buffer.alloc(0) : Buffer.concat([asBuffer(prefix), Buffer.from(mark)]);
}

function trimLineEnd(line: Uint8Array): Uint8Array {
  let end = line.length;
  while (end > 0 && (line[end - 1] === 0x0a || line[end - 1] === 0x0d)) end--;
  return line.subarray(0, end);
}
