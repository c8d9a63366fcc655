import { closeSync, openSync, writeSync, writevSync } from 'node:fs';

/** Most pieces of one system call (`IOV_MAX`). */
const vectorLength = 1_024;
/** Bytes of one write: what a processor has still at hand. */
const flushBytes = 512 * 1024;
/** Bytes of a slice: what costs an engine several times as long to load as the statement that it takes. */
export const defaultSliceBytes = 8 * 1024 * 1024;

/** Some records in a file of their own. */
export interface Slice {
  readonly file: string;
  readonly records: number;
}

/**
 * Lines on their way to the disk: into one file, or into slices, each told once it is whole. They are written while they
 * are at hand, which costs less than a write in another thread: nothing else is to be done meanwhile.
 */
export class RecordFiles {
  /** Written so far; the one file of an unsliced input is always among them. */
  readonly files: string[] = [];
  records = 0;
  readonly #path: string;
  readonly #told: ((slice: Slice) => void) | null;
  readonly #sliceBytes: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** The open file, or -1. */
  #file = -1;
  #fileBytes = 0;
  #recordsTold = 0;

  /** `told`: null for one file at `path`; slices of about `sliceBytes` stand beside it. */
  constructor(path: string, told: ((slice: Slice) => void) | null, sliceBytes = defaultSliceBytes) {
    this.#path = path;
    this.#told = told;
    this.#sliceBytes = sliceBytes;
    if (told === null) this.#open(path);
  }

  /** Kept until it is written: nobody may write to it again. */
  lines(bytes: Uint8Array, records: number): void {
    this.records += records;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** To be called where a line has just ended. */
  flushIfFull(): void {
    if (this.#pendingBytes >= Math.min(flushBytes, this.#sliceBytes)) this.#flush();
    if (this.#told !== null && this.#fileBytes >= this.#sliceBytes) this.#finish(this.#told);
  }

  /** Everything is on the disk, and told. */
  end(): void {
    if (this.#pendingBytes > 0) this.#flush();
    if (this.#told !== null && this.#file >= 0) this.#finish(this.#told);
    this.close();
  }

  /** After a failure too: nothing more is told. */
  close(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  #finish(told: (slice: Slice) => void): void {
    this.close();
    this.#fileBytes = 0;
    told({ file: this.files.at(-1) ?? this.#path, records: this.records - this.#recordsTold });
    this.#recordsTold = this.records;
  }

  #open(file: string): void {
    this.#file = openSync(file, 'w');
    this.files.push(file);
  }

  #flush(): void {
    if (this.#file < 0) this.#open(`${this.#path}.${this.files.length}`);
    writeAll(this.#file, this.#pending);
    this.#fileBytes += this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** The system may take less than it was given; what is left goes again. */
function writeAll(file: number, pieces: readonly Uint8Array[]): void {
  for (let at = 0; at < pieces.length; at += vectorLength) {
    const some = pieces.slice(at, at + vectorLength);
    const wanted = some.reduce((sum, piece) => sum + piece.length, 0);
    let written = writevSync(file, some);
    if (written === wanted) continue;
    const whole = Buffer.concat(some);
    while (written < wanted) written += writeSync(file, whole, written);
  }
}
