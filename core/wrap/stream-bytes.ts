import { storedBytes } from '../content/well-formed.ts';
import { textBytes } from './text-bytes.ts';

/**
 * Pieces are handed on in this many bytes, copied. Small ones together: each one alone would cost a round of hashing and
 * writing. Large ones cut: what is scanned and what is written are then the same bytes, whatever becomes of the tool's
 * own buffer meanwhile, and no piece takes long.
 */
const gatheredBytes = 64 * 1024;
/** What a stream has given is handed on after this time at the latest, also when it gives nothing more. */
const gatheringMs = 20;

/**
 * A stream's pieces as one body: bytes as they are, texts as UTF-8, and anything else as a line of JSON. Answered pieces
 * may share one buffer: a piece is not needed once the next is asked for.
 */
export async function* streamBytes(pieces: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<Uint8Array> {
  const gathered = Buffer.allocUnsafe(gatheredBytes);
  let used = 0;
  let wait: Wait | undefined;
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : awaited(pieces);
  let ended = false;
  try {
    for (;;) {
      const next = Promise.resolve(source.next());
      if (used > 0) {
        wait ??= new Wait(gatheringMs);
        if ((await Promise.race([next, wait.over])) === late) {
          wait = undefined;
          // Of a stream that fails meanwhile is heard when its piece is taken.
          next.catch(() => {});
          yield gathered.subarray(0, used);
          used = 0;
        }
      }
      const { done, value } = await next;
      ended = done === true;
      if (ended) break;
      for (const bytes of encoded(value)) {
        for (let at = 0; at < bytes.length; ) {
          const taken = Math.min(gatheredBytes - used, bytes.length - at);
          gathered.set(bytes.subarray(at, at + taken), used);
          at += taken;
          used += taken;
          if (used < gatheredBytes) continue;
          wait?.stop();
          wait = undefined;
          yield gathered;
          used = 0;
        }
      }
    }
    if (used > 0) yield gathered.subarray(0, used);
  } finally {
    wait?.stop();
    // A source that ended or failed by itself is closed already; closing it again does nothing.
    if (!ended) await source.return?.();
  }
}

async function* awaited(pieces: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* pieces;
}

const late = Symbol('late');

/** Is over, as `late`, after a time, unless it is stopped. */
class Wait {
  readonly over: Promise<typeof late>;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.over = new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(late), ms);
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function encoded(piece: unknown): Iterable<Uint8Array> {
  if (piece instanceof Uint8Array) return [piece];
  if (typeof piece !== 'string') return [Buffer.from(`${JSON.stringify(piece) ?? 'null'}\n`, 'utf8')];
  return piece.length < gatheredBytes ? [storedBytes(piece)] : textBytes([piece]);
}
