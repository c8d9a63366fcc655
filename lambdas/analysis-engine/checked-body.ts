import { createHash } from 'node:crypto';
import type { EngineInput } from '../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { CheckedPieces } from '../../core/scan/checked-pieces.ts';
import type { BodyReader } from './read-body.ts';

/**
 * Hands on the bytes of the body that was asked for, in pieces that may be written over; throws `StorageUnavailable` for
 * another. Where the digests of its chunks came along, no byte of a chunk is handed on before the chunk was found right.
 * Where they did not, the body is right only once this is done: until then nobody may load what was handed on.
 */
export async function readChecked(
  input: EngineInput,
  signal: AbortSignal,
  read: BodyReader,
  take: (piece: Uint8Array) => void,
): Promise<void> {
  const check = isCheckedByChunk(input)
    ? new CheckedPieces(input.bytes, Buffer.from(input.digests, 'base64'), take)
    : wholeCheck(input, take);
  const expect = (right: boolean): void => {
    if (right) return;
    throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy does not match its digest`);
  };
  await read(input, signal, (piece) => expect(check.write(piece)));
  expect(check.end());
}

/** Bytes that are handed on are right already. */
export function isCheckedByChunk(input: EngineInput): input is EngineInput & { readonly digests: string } {
  return input.digests !== null && input.digests !== undefined;
}

function wholeCheck({ bytes, sha256 }: EngineInput, take: (piece: Uint8Array) => void) {
  const hash = createHash('sha256');
  let seen = 0;
  return {
    write: (piece: Uint8Array): boolean => {
      seen += piece.length;
      if (seen > bytes) return false;
      hash.update(piece);
      take(piece);
      return true;
    },
    end: (): boolean => seen === bytes && hash.digest('hex') === sha256,
  };
}
