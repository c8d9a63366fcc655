import { previewCoverage } from '../coverage/compute.ts';
import { detectUpstream } from '../coverage/upstream.ts';
import { bodyPreview } from '../preview/body-preview.ts';
import type { Profile } from '../profile/profile.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import type { BodyDigests } from './body-digests.ts';
import type { BodyFacts, BodyScan } from './body-scan.ts';
import { ByteStore } from './byte-store.ts';
import { ChunkDigests } from './chunk-digests.ts';
import { chunkCount } from './chunk-schedule.ts';
import { detectionBytes, type KindOptions, startScan } from './detect-kind.ts';
import type { JsonScan } from './json-scan.ts';
import { shownPath } from './key-path.ts';
import { NdjsonScan } from './ndjson-scan.ts';
import { plainBytes } from './plain-bytes.ts';
import { recordFields } from './record-fields.ts';
import type { ParseLoss, ResultKind, ScanSummary } from './scan-summary.ts';
import { Utf8Check } from './utf8-check.ts';

export interface ScanOptions {
  /** Byte budget of the preview's text (UTF-8). */
  readonly previewBytes: number;
  /** Compute the profile. Default false. */
  readonly profile?: boolean;
  /** Byte budget of the profile. Default: all columns. */
  readonly profileBytes?: number;
  /** A record wider than this is counted and indexed but not looked into. Default 1 MiB. */
  readonly maxRecordBytes?: number;
  /** The body is known to be NDJSON (a list that was written so): its kind is not told by its looks. */
  readonly lines?: boolean;
  /** Bytes of the body's head that its kind is told by. Default 64 KiB. */
  readonly detectBytes?: number;
  /** Asked at the first byte for what makes the digests. Undefined, and default: they are made on the way. */
  readonly digests?: () => BodyDigests | undefined;
}

/** Work is done in pieces that stay in the processor's cache between hashing and scanning. */
const pieceBytes = 64 * 1024;

/**
 * One pass over a result's bytes, in chunks of any size: kind, list of rows, count, preview, record index, digests and
 * profile. Memory does not grow with the body, only with the index: 16 bytes and a digest per chunk.
 */
export class ResultScanner {
  readonly #options: ScanOptions;
  readonly #kindOptions: KindOptions;
  readonly #utf8 = new Utf8Check();
  readonly #head: ByteStore;
  readonly #detectBytes: number;
  #kind: ResultKind = 'text';
  #scan: BodyScan | null = null;
  #bytes = 0;
  #digests: BodyDigests | undefined;
  #scanned: ScanSummary | undefined;

  constructor(options: ScanOptions) {
    this.#options = options;
    // Less than a byte-order mark and one character tells nothing.
    this.#detectBytes = Math.max(4, options.detectBytes ?? detectionBytes);
    this.#head = new ByteStore(Math.max(detectionBytes, this.#detectBytes, options.previewBytes + 3));
    this.#kindOptions = {
      headBytes: options.previewBytes + 1,
      maxRecordBytes: options.maxRecordBytes ?? 1024 * 1024,
      lines: options.lines,
      jsonSink: options.profile === true ? () => new ProfileBuilder({ format: 'json' }) : null,
      csvSink:
        options.profile === true
          ? (delimiter, header) => new ProfileBuilder({ format: 'csv', delimiter, header })
          : null,
    };
  }

  write(bytes: Uint8Array): void {
    const chunk = plainBytes(bytes);
    this.#digests ??= this.#options.digests?.() ?? new ChunkDigests();
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      const to = Math.min(chunk.length, from + pieceBytes);
      const piece = from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to);
      this.#digests.write(piece);
      this.#utf8.write(piece);
      this.#bytes += to - from;
      this.#take(chunk, from, to);
    }
  }

  /** What makes the digests, once there is a first byte. */
  get digests(): BodyDigests | undefined {
    return this.#digests;
  }

  /** Whether `bytes` more are taken without waiting for digests (`BodyDigests.room`). */
  room(bytes: number, maxMs: number): boolean {
    return this.#digests?.room?.(bytes, maxMs) ?? true;
  }

  /** Nothing more is written: whether `end` need not wait for digests (`BodyDigests.finish`). */
  finish(maxMs: number): boolean {
    return this.#digests?.finish?.(maxMs) ?? true;
  }

  /** Throws `StorageUnavailable` when there are no digests, and answers nothing then but what `unstored` does. */
  end(): ScanSummary {
    const scanned = this.unstored();
    const { sha256, digests } = (this.#digests ?? new ChunkDigests()).end();
    return { ...scanned, sha256, chunks: { ...scanned.chunks, digests } };
  }

  /** What `end` answers, without digests: nothing holds the body that they would be of. */
  unstored(): ScanSummary {
    this.#scanned ??= this.#summary();
    return this.#scanned;
  }

  /** The digests are not wanted any more. */
  drop(): void {
    this.#digests?.drop?.();
  }

  #summary(): ScanSummary {
    if (this.#scan === null) this.#start(true);
    const bytes = this.#bytes;
    const kind = this.#kind;
    const head = this.#head.view();
    const facts = (this.#scan as BodyScan).end();
    const parseLoss = this.#withEncoding(facts.parseLoss);
    const records = facts.list === null ? (facts.root.whole ? 1 : 0) : facts.list.index.records;
    const unit = kind === 'text' ? 'lines' : 'records';
    const preview = bodyPreview({ kind, bytes, head, facts, records, budget: this.#options.previewBytes });
    const upstream = kind === 'json' ? detectUpstream(facts.around, records) : null;
    const table = chunkTable(facts, bytes);
    return {
      kind,
      path: facts.path === null ? null : shownPath(facts.path),
      unit,
      bytes,
      sha256: '',
      records,
      otherLists: facts.otherLists,
      parseLoss,
      table: facts.table,
      fields: recordFields(kind, facts, head),
      upstream,
      chunks: { ...table, digests: new Uint8Array(0) },
      preview,
      coverage: previewCoverage({
        unit,
        total: records,
        shown: preview.shown,
        complete: preview.complete,
        shortened: preview.shortened,
        parseLoss,
        upstream,
      }),
      profile: this.#profile(kind, facts, head),
    };
  }

  /** Bytes that are not UTF-8 are shown as replacement characters: said, whatever the kind. */
  #withEncoding(loss: ParseLoss | null): ParseLoss | null {
    this.#utf8.end();
    const { fault } = this.#utf8;
    if (fault < 0) return loss;
    const note = 'not all bytes are UTF-8; those that are not are shown as \ufffd';
    if (loss === null) return { records: 0, note, offset: fault };
    return { records: loss.records, note: `${loss.note}; ${note}`, offset: Math.min(fault, loss.offset) };
  }

  #take(chunk: Uint8Array, from: number, to: number): void {
    if (this.#scan === null) {
      const missing = this.#detectBytes - this.#head.length;
      const split = Math.min(to, from + missing);
      this.#head.append(chunk, from, split);
      if (this.#head.length < this.#detectBytes) return;
      this.#start(false);
      from = split;
    }
    if (from >= to) return;
    if (!this.#head.full) this.#head.append(chunk, from, to);
    const scan = this.#scan as unknown as BodyScan;
    const stopped = scan.write(chunk, from, to);
    if (stopped < to) this.#readLines(scan as JsonScan, chunk, stopped, to);
  }

  #start(atEnd: boolean): void {
    const started = startScan(this.#head.view(), atEnd, this.#kindOptions);
    this.#kind = started.kind;
    this.#scan = started.scan;
  }

  /** The first line was longer than the head; only now is it clear that more lines follow. */
  #readLines(json: JsonScan, chunk: Uint8Array, from: number, to: number): void {
    const { rootStart: start, rootEnd: end } = json;
    const beginning = this.#head.view().subarray(start, end);
    const first = { start, end, beginning };
    const lines = new NdjsonScan({ ...this.#kindOptions, sink: this.#kindOptions.jsonSink }, json.secondValueAt, first);
    this.#kind = 'ndjson';
    this.#scan = lines.settled();
    lines.write(chunk, from, to);
  }

  #profile(kind: ResultKind, facts: BodyFacts, head: Uint8Array): Profile | null {
    const { jsonSink } = this.#kindOptions;
    if (jsonSink === null || kind === 'text') return null;
    const maxBytes = this.#options.profileBytes;
    if (facts.list !== null) return (facts.list.sink as ProfileBuilder | null)?.build(maxBytes) ?? null;
    const { start, end, whole } = facts.root;
    const sink = jsonSink() as ProfileBuilder;
    if (whole && end <= head.length && !facts.root.odd) sink.record(head, start, end);
    else sink.wide(end - start);
    return sink.build(maxBytes);
  }
}

function chunkTable(
  facts: BodyFacts,
  bytes: number,
): { recordsBefore: readonly number[]; firstOffset: readonly number[] } {
  if (facts.list !== null) return facts.list.index.end(bytes);
  // The document is one record that starts in the first chunk.
  const chunks = chunkCount(bytes);
  const records = facts.root.whole ? 1 : 0;
  return {
    recordsBefore: Array.from({ length: chunks }, (_, i) => (i === 0 ? 0 : records)),
    firstOffset: Array.from({ length: chunks }, (_, i) => (i === 0 && records === 1 ? facts.root.start : -1)),
  };
}

/** Scans bytes that are in memory already. */
export function scanBytes(bytes: Uint8Array, options: ScanOptions): ScanSummary {
  const scanner = new ResultScanner(options);
  scanner.write(bytes);
  return scanner.end();
}

/** Scans a stream; no chunk is needed once the next is asked for. */
export async function scanStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ScanOptions,
): Promise<ScanSummary> {
  const scanner = new ResultScanner(options);
  for await (const chunk of chunks) scanner.write(chunk);
  return scanner.end();
}
