import { createHash } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';

/** One part of an upload: its own buffer, filled to the brim except for the last. */
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
 * Cuts a stream into parts of `partBytes`, one ahead, so that the last is known to be the last. At least one part
 * comes, an empty one for an empty stream. Throws `OversizeResult` as soon as more than `maxBytes` were seen, and
 * `BodySourceError` when the stream fails.
 */
export async function* bodyParts(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  partBytes: number,
  maxBytes: number,
): AsyncGenerator<BodyPart> {
  let buffer = Buffer.allocUnsafe(body instanceof Uint8Array ? Math.min(body.length, partBytes) : partBytes);
  let filled = 0;
  let seen = 0;
  for await (const piece of body instanceof Uint8Array ? [body] : sourced(body)) {
    seen += piece.length;
    if (seen > maxBytes) {
      throw new ClaimcheckError('OversizeResult', `result: ${seen} bytes seen, at most ${maxBytes} can be stored`, {
        seenBytes: seen,
        maxBytes,
      });
    }
    let offset = 0;
    while (offset < piece.length) {
      if (filled === partBytes) {
        yield partOf(buffer, false);
        buffer = Buffer.allocUnsafe(Math.min(partBytes, maxBytes));
        filled = 0;
      }
      const room = Math.min(buffer.length - filled, piece.length - offset);
      buffer.set(piece.subarray(offset, offset + room), filled);
      filled += room;
      offset += room;
    }
  }
  yield partOf(buffer.subarray(0, filled), true);
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
