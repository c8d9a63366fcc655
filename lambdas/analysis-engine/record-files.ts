import { type FileHandle, open } from 'node:fs/promises';

/** Most pieces of one system call (`IOV_MAX`). */
const vectorLength = 1_024;
const wholeFlushBytes = 1024 * 1024;
/** Bytes of a slice: each costs the engine a statement, and is memory until it is written. */
const sliceBytes = 4 * 1024 * 1024;

/** Some records in a file of their own. */
export interface Slice {
  readonly file: string;
  readonly records: number;
}

/**
 * Lines on their way to the disk: into one file, or into slices, each told once it is whole. One write is under way while
 * the next lines are gathered, no more.
 */
export class RecordFiles {
  /** Written so far, or on their way; the one file of an unsliced input is always among them. */
  readonly files: string[] = [];
  records = 0;
  readonly #path: string;
  readonly #told: ((slice: Slice) => void) | null;
  #pending: Uint8Array[] = [];
  #bytes = 0;
  #recordsTold = 0;
  #whole: FileHandle | null = null;
  #written: Promise<void> = Promise.resolve();

  /** `told`: null for one file at `path`; slices stand beside it. */
  constructor(path: string, told: ((slice: Slice) => void) | null) {
    this.#path = path;
    this.#told = told;
    if (told === null) this.files.push(path);
  }

  /** Kept until it is written: nobody may write to it again. */
  lines(bytes: Uint8Array, records: number): void {
    this.records += records;
    this.#pending.push(bytes);
    this.#bytes += bytes.length;
  }

  /** To be asked where a line has just ended; what it answers is to be waited for. */
  flushIfFull(): Promise<void> | undefined {
    return this.#bytes < (this.#told === null ? wholeFlushBytes : sliceBytes) ? undefined : this.#flush();
  }

  /** Everything is on the disk, and told. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#written;
  }

  async close(): Promise<void> {
    await this.#written.catch(() => {});
    await this.#whole?.close();
  }

  async #flush(): Promise<void> {
    const before = this.#written;
    const pieces = this.#pending;
    const records = this.records - this.#recordsTold;
    this.#pending = [];
    this.#bytes = 0;
    this.#recordsTold = this.records;
    await before;
    this.#written = this.#told === null ? this.#append(pieces) : this.#slice(pieces, records, this.#told);
    // Awaited later: a failure in between is no unhandled one.
    this.#written.catch(() => {});
  }

  async #append(pieces: readonly Uint8Array[]): Promise<void> {
    this.#whole ??= await open(this.#path, 'w');
    await writeAll(this.#whole, pieces);
  }

  async #slice(pieces: readonly Uint8Array[], records: number, told: (slice: Slice) => void): Promise<void> {
    if (records === 0) return;
    const file = `${this.#path}.${this.files.length}`;
    this.files.push(file);
    const target = await open(file, 'w');
    try {
      await writeAll(target, pieces);
    } finally {
      await target.close();
    }
    told({ file, records });
  }
}

/** The system may take less than it was given; what is left goes again. */
async function writeAll(target: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += vectorLength) {
    const some = pieces.slice(at, at + vectorLength);
    const wanted = some.reduce((sum, piece) => sum + piece.length, 0);
    const { bytesWritten } = await target.writev(some);
    if (bytesWritten < wanted) await target.writeFile(Buffer.concat(some).subarray(bytesWritten));
  }
}
