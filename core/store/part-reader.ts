import { createHash } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';

/** One part of an upload, filled to the brim except for the last. */
export interface BodyPart {
  readonly bytes: Uint8Array;
  /** SHA-256 of the part, base64, as S3 takes it. */
  readonly sha256: string;
  readonly last: boolean;
}

/** The body's own source failed, not the store: its error is the `cause`. */
export class BodySourceError extends Error {
  override readonly name = 'BodySourceError';
}

/**
 * Buffers of one upload, used again once their part has arrived: fresh memory costs several times the hashing of it,
 * so a long upload works in the few buffers that are on their way at once.
 */
export class PartBuffers {
  readonly #free: Buffer[] = [];
  readonly #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
  }

  /** Only for a part whose bytes nobody reads any more. Slices of a body that was in memory are not ours to take. */
  giveBack(part: BodyPart): void {
    const { buffer, byteOffset, byteLength } = part.bytes;
    if (byteOffset === 0 && byteLength === this.#bytes && buffer.byteLength === this.#bytes) {
      this.#free.push(Buffer.from(buffer));
    }
  }
}

/**
 * Cuts a body into parts of `partBytes`; one part at least comes, an empty one for an empty body. Bytes that are in
 * memory are not copied. Throws `OversizeResult` as soon as more than `maxBytes` were seen, and `BodySourceError` when
 * the stream fails.
 */
export function bodyParts(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  partBytes: number,
  maxBytes: number,
  buffers = new PartBuffers(partBytes),
): AsyncGenerator<BodyPart> {
  return body instanceof Uint8Array ? slices(body, partBytes, maxBytes) : filled(body, partBytes, maxBytes, buffers);
}

async function* slices(body: Uint8Array, partBytes: number, maxBytes: number): AsyncGenerator<BodyPart> {
  checkSize(body.length, maxBytes);
  for (let start = 0; start === 0 || start < body.length; start += partBytes) {
    yield partOf(body.subarray(start, start + partBytes), start + partBytes >= body.length);
  }
}

/** A full part leaves when the next byte comes, so that the last one is known to be the last. */
async function* filled(
  body: AsyncIterable<Uint8Array>,
  partBytes: number,
  maxBytes: number,
  buffers: PartBuffers,
): AsyncGenerator<BodyPart> {
  let buffer = buffers.take();
  let used = 0;
  let seen = 0;
  for await (const piece of sourced(body)) {
    seen += piece.length;
    checkSize(seen, maxBytes);
    let offset = 0;
    while (offset < piece.length) {
      if (used === partBytes) {
        yield partOf(buffer, false);
        buffer = buffers.take();
        used = 0;
      }
      const room = Math.min(partBytes - used, piece.length - offset);
      buffer.set(piece.subarray(offset, offset + room), used);
      used += room;
      offset += room;
    }
  }
  yield partOf(buffer.subarray(0, used), true);
}

function checkSize(seenBytes: number, maxBytes: number): void {
  if (seenBytes <= maxBytes) return;
  throw new ClaimcheckError('OversizeResult', `result: ${seenBytes} bytes seen, at most ${maxBytes} can be stored`, {
    seenBytes,
    maxBytes,
  });
}

async function* sourced(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new BodySourceError('body: its source failed', { cause: error });
  }
}

function partOf(bytes: Uint8Array, last: boolean): BodyPart {
  return { bytes, sha256: createHash('sha256').update(bytes).digest('base64'), last };
}
