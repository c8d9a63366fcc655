import type { ListCollector } from '../scan/list-collector.ts';
import { markOddValues } from '../scan/odd-values.ts';
import { fitting, mended, recordText } from './fitting.ts';
import { bareSkeleton, ownSkeleton, type Skeleton } from './list-skeleton.ts';
import type { Preview } from './preview.ts';
import { madePreview, type PreviewSource } from './preview-source.ts';
import { shortenedValue } from './shortened-value.ts';

/** Records up to this size are shown whole or not at all; a longer first one is worth a marked beginning. */
const worthShortening = 1024;
/** Room below which a marked beginning says nothing. */
const roomToShorten = 128;

/** A JSON document that is not shown whole: its list's first records in its own frame, or its shortened value. */
export function jsonPreview(source: PreviewSource): Preview {
  const { facts } = source;
  return facts.list === null ? withoutList(source) : withList(source, facts.list);
}

function withList(source: PreviewSource, list: ListCollector): Preview {
  const { facts, budget, records } = source;
  const frame = facts.frame ?? { keys: [], tail: null, tailBytes: 0 };
  const head = list.head();
  const own = ownSkeleton(source.head, facts.root.start, list.open, frame, facts.root.odd);
  const bare = bareSkeleton(frame);
  const text = recordText(head, 1, ',');
  const firstSize = text.available === 0 ? Number.POSITIVE_INFINITY : text.size(1);

  const skeleton = own !== null && own.size + firstSize <= budget ? own : bare;
  if (skeleton !== null && skeleton.size + firstSize <= budget) {
    // Where the bare path stands in for a frame that will fit a larger budget, one record is shown: growing never shows fewer.
    const shown = skeleton === own || own === null ? fitting(text, budget - skeleton.size) : 1;
    const complete = shown === records && skeleton.whole && facts.root.whole && facts.parseLoss === null;
    return madePreview(framed(skeleton, text.bytes(shown)), shown, { complete });
  }
  const facts0 = records === 0 ? {} : { firstRecordBytes: head.firstRecordBytes };
  if (head.firstRecordBytes > worthShortening) {
    const record = head.bytes.subarray(head.firstRecordAt, head.firstRecordAt + head.firstRecordBytes);
    for (const around of [own, bare]) {
      if (around === null || budget - around.size < roomToShorten) continue;
      const value = shortenedValue(mended(head.odd.has(0) ? markOddValues(record) : record), budget - around.size);
      if (value !== null) return madePreview(framed(around, value), 0, { ...facts0, shortened: true });
    }
  }
  for (const around of [own, bare]) {
    if (around !== null && around.size <= budget) return madePreview(framed(around, Buffer.alloc(0)), 0, facts0);
  }
  return emptyValue(source, facts.root.start, facts0);
}

function withoutList(source: PreviewSource): Preview {
  const { facts, budget, head, records } = source;
  const { start, end } = facts.root;
  const bytes = records === 0 ? {} : { firstRecordBytes: end - start };
  const value = mended(head.subarray(start, Math.min(end, head.length)));
  const shortened = shortenedValue(facts.root.odd ? markOddValues(value) : value, budget);
  if (shortened !== null) return madePreview(shortened, 0, { ...bytes, shortened: true });
  return emptyValue(source, start, bytes);
}

/** Nothing of the value fits: an empty value of its own kind, said to be shortened. */
function emptyValue(source: PreviewSource, start: number, bytes: { readonly firstRecordBytes?: number }): Preview {
  const first = source.head[start];
  const empty = first === 0x5b ? '[]' : first === 0x7b ? '{}' : '""';
  return madePreview(Buffer.from(source.budget >= 2 ? empty : ''), 0, { ...bytes, shortened: true });
}

function framed(skeleton: Skeleton, records: Buffer): readonly Buffer[] {
  return [skeleton.before, records, skeleton.after];
}
