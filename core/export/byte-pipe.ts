/**
 * Hands pieces from one writer to one reader, one piece at a time: `write` resolves when the piece was taken, so what
 * waits is never more than one piece. The reader is an upload; when it gives up, later writes are dropped at once, and
 * the writer can ask why.
 */
export class BytePipe implements AsyncIterable<Uint8Array> {
  #piece: Uint8Array | null = null;
  #ended = false;
  #failure: unknown;
  #broken = false;
  #drained = false;
  #wakeReader: (() => void) | null = null;
  #wakeWriter: (() => void) | null = null;

  /** The reader gave up. */
  get broken(): boolean {
    return this.#broken;
  }

  /** The reader was told the end. */
  get drained(): boolean {
    return this.#drained;
  }

  async write(piece: Uint8Array): Promise<void> {
    if (this.#broken || piece.length === 0) return;
    this.#piece = piece;
    this.#wakeReader?.();
    await new Promise<void>((resolve) => {
      this.#wakeWriter = resolve;
    });
  }

  end(): void {
    this.#ended = true;
    this.#wakeReader?.();
  }

  /** The writer gave up: the reader's iteration throws `error`, so an upload aborts its parts. */
  fail(error: unknown): void {
    this.#failure = error;
    this.end();
  }

  /** The reader gave up: the writer is set free and everything further is dropped. */
  break(): void {
    this.#broken = true;
    this.#piece = null;
    this.#wakeWriter?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#piece !== null) {
          const piece = this.#piece;
          this.#piece = null;
          yield piece;
          this.#wakeWriter?.();
          continue;
        }
        if (this.#ended) {
          if (this.#failure !== undefined) throw this.#failure;
          this.#drained = true;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    } finally {
      this.break();
    }
  }
}
