import { ClaimcheckError } from '../errors.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { answerText, type ReadAnswer, type ReadRoom, type ReadVersion, readAnswer } from './answer.ts';
import { refuseUnknownFields, refuseUnseenFields } from './known-fields.ts';
import { coverageOfRead, type ReadBound } from './read-coverage.ts';
import { type FedRecord, recordsFrom } from './record-feed.ts';
import { type RecordWriter, recordWriter } from './record-text.ts';
import type { Selection } from './selection.ts';
import type { VerifiedBody } from './verified-body.ts';
import { readWide } from './wide-record.ts';

export interface ReadSource {
  readonly index: ResultIndex;
  readonly body: VerifiedBody;
  readonly version: ReadVersion | null;
}

/** A read with these bounds; `maxRecords` is the cap on whole records of one answer. */
export interface ReadLimits {
  readonly room: ReadRoom;
  readonly maxRecords: number;
}

/** How far a page came, for its coverage. */
interface Progress {
  readonly stoppedBy: ReadBound | null;
  readonly cut: boolean;
  readonly nextPart: number | null;
}

/**
 * Records (lines) from `offset` on: as many as were asked for and fit, each whole. What does not fit is the next
 * page (`next_offset`); a record that fits no page comes in marked parts. Throws `UnknownField`, `InvalidInput`.
 */
export async function readRecords(source: ReadSource, selection: Selection, limits: ReadLimits): Promise<ReadAnswer> {
  const { index, version } = source;
  const { room } = limits;
  if (selection.fields !== null) refuseUnknownFields(selection.fields, index);
  const page = new Page(index.kind === 'text');
  const asked = selection.part === null ? selection.limit : 1;
  const count = Math.min(asked ?? Number.MAX_SAFE_INTEGER, limits.maxRecords);
  const coverage = (progress: Progress) =>
    coverageOfRead(index, {
      offset: selection.offset,
      limit: asked,
      delivered: page.count,
      projected: selection.fields !== null || selection.part !== null,
      cut: progress.cut || !page.exact,
      stoppedBy: progress.stoppedBy,
      nextPart: progress.nextPart,
    });
  const size = (progress: Progress): number =>
    Buffer.byteLength(answerText('', coverage(progress), version)) + page.bytes;

  const writer = recordWriter(index, selection.fields);
  let progress: Progress = { stoppedBy: null, cut: false, nextPart: null };
  // Numbers may still grow by some digits, and the bound that was met is yet to be named.
  const reserve = size({ stoppedBy: room.bound, cut: true, nextPart: null }) + 48;
  const bounds = {
    count,
    maxBytes: selection.fields === null ? room.bytes : Number.MAX_SAFE_INTEGER,
  };
  let left = false;
  let looked = false;
  pages: for await (const batch of recordsFrom(index, source.body, selection.offset, bounds)) {
    for (const record of batch) {
      if (page.count === count) {
        left = true;
        break pages;
      }
      looked ||= record.bytes !== null && selection.part === null;
      if (selection.part === null && addWhole(page, record, writer, room.bytes - reserve)) continue;
      if (page.count > 0) progress = { stoppedBy: room.bound, cut: false, nextPart: null };
      else progress = await addPart(page, record, source, selection, room, reserve);
      break pages;
    }
    // What was asked for is there: the next chunk is not fetched to find out whether there is more.
    if (page.count === count) break;
  }
  left ||= selection.offset + page.count < index.records;
  if (
    progress.stoppedBy === null &&
    left &&
    (asked === null || asked > page.count) &&
    page.count === limits.maxRecords
  ) {
    progress = { ...progress, stoppedBy: 'entry_limit' };
  }
  if (selection.fields !== null && looked) refuseUnseenFields(selection.fields, writer.seen, index);
  const whole = progress.cut ? 0 : page.count;
  const ranges = whole > 0 ? ([[selection.offset, selection.offset + whole]] as const) : [];
  return readAnswer(page.data(), selection, coverage(progress), version, ranges);
}

function addWhole(page: Page, record: FedRecord, writer: RecordWriter, room: number): boolean {
  if (record.bytes === null) return false;
  // Whole records are their own bytes: what is too wide already need not be turned into text.
  if (writer.seen.length === 0 && record.bytes.length > room) return false;
  const { text, exact } = writer.write(record.bytes);
  return page.add(text, exact, room);
}

/** The first record does not fit: a part of it, unless only the request's room is too small for what a page holds. */
async function addPart(
  page: Page,
  record: FedRecord,
  source: ReadSource,
  selection: Selection,
  room: ReadRoom,
  reserve: number,
): Promise<Progress> {
  const wide = await readWide(record, source, selection, room.maxBytes, reserve);
  if (wide.of === 1) {
    if (page.add(wide.text, wide.exact, room.bytes - reserve)) return { stoppedBy: null, cut: false, nextPart: null };
    return { stoppedBy: room.bound, cut: false, nextPart: null };
  }
  const item = JSON.stringify({ part: wide.part, of: wide.of, text: wide.text });
  if (!page.addMarked(item, room.bytes - reserve)) {
    if (room.bound === 'request_limit') return { stoppedBy: room.bound, cut: false, nextPart: null };
    throw new ClaimcheckError(
      'SelectionTooLarge',
      'part: this piece does not fit once it is escaped; read it with bytes, fewer at a time',
      { start: record.start, end: record.end },
    );
  }
  return { stoppedBy: room.bound, cut: true, nextPart: wide.part < wide.of ? wide.part + 1 : null };
}

/** What one answer holds, counted as it will be written. */
class Page {
  count = 0;
  /** Bytes of the data as written, brackets or quotes included. */
  bytes = 2;
  exact = true;
  readonly #isText: boolean;
  readonly #items: string[] = [];
  #marked = false;

  constructor(isText: boolean) {
    this.#isText = isText;
  }

  add(text: string, exact: boolean, room: number): boolean {
    const item = this.#isText ? JSON.stringify(text).slice(1, -1) : text;
    return this.#put(item, exact, room);
  }

  /** Parts are objects, for text too: nobody takes one for a line. */
  addMarked(item: string, room: number): boolean {
    this.#marked = this.#put(item, true, room);
    return this.#marked;
  }

  data(): string {
    return this.#isText && !this.#marked ? `"${this.#items.join('')}"` : `[${this.#items.join(',')}]`;
  }

  #put(item: string, exact: boolean, room: number): boolean {
    const bytes = Buffer.byteLength(item) + (this.#items.length > 0 && !this.#isText ? 1 : 0);
    if (this.bytes + bytes > room) return false;
    this.#items.push(item);
    this.bytes += bytes;
    this.count += 1;
    this.exact &&= exact;
    return true;
  }
}
