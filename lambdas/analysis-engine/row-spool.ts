import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ClaimcheckError } from '../../core/errors.ts';

/** What lies in a file, ready to be uploaded. */
export interface SpooledFile {
  readonly file: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64: what the store compares an upload with. */
  readonly md5: string;
}

/**
 * All rows of an answer on their way from the query's process into a file: its size has to be known before it can be
 * uploaded. At most `maxBytes` are taken, whatever the process sends; the rest is read and dropped.
 */
export class RowSpool {
  readonly maxBytes: number;
  readonly #file: string;
  #taken: Promise<void> | undefined;
  #bytes = 0;
  readonly #sha256 = createHash('sha256');
  readonly #md5 = createHash('md5');

  constructor(file: string, maxBytes: number) {
    this.#file = file;
    this.maxBytes = maxBytes;
  }

  /** The pipe of the process; again for one that took the place of a process which failed before its query. */
  take(rows: Readable): void {
    const measured = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        this.#bytes += piece.length;
        if (this.#bytes > this.maxBytes) return done();
        this.#sha256.update(piece);
        this.#md5.update(piece);
        done(null, piece);
      },
    });
    this.#taken = pipeline(rows, measured, createWriteStream(this.#file));
    // Awaited once the process is gone; until then a full disk is no unhandled failure.
    this.#taken.catch(() => {});
  }

  /** The file, once the process has ended; null when it sent more than may be kept. Throws `AnalysisLimit` when the disk is full. */
  async whole(): Promise<SpooledFile | null> {
    try {
      await this.#taken;
    } catch {
      throw new ClaimcheckError('AnalysisLimit', 'keep: there is no room to put the rows together; keep fewer of them');
    }
    if (this.#bytes > this.maxBytes) return null;
    return {
      file: this.#file,
      bytes: this.#bytes,
      sha256: this.#sha256.digest('hex'),
      md5: this.#md5.digest('base64'),
    };
  }
}
