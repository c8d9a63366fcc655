import { createReadStream, readFileSync, statSync } from 'node:fs';
import { type BodyEncoding, normaliseResult } from '../../core/content/normalise.ts';
import { fileChunks } from './input.ts';

/** A longer JSON string than this cannot be one string of the engine, and no tool's answer is as long. */
const maxStringBytes = 256 * 1024 * 1024;

/** What the hook would store of a tool that answers this file as one text. */
export interface FileBody {
  readonly encoding: Extract<BodyEncoding, 'text' | 'unwrapped'>;
  /** Held in memory where the stored bytes are not the file's own; else null, and the file is read in pieces. */
  readonly bytes: Uint8Array | null;
}

/**
 * The same as the hook: a JSON string that holds JSON is stored unwrapped, anything else byte for byte. Only a file that
 * begins with a quote is read whole for it. Throws `InvalidInput` when there is no such file to read.
 */
export async function fileBody(file: string): Promise<FileBody> {
  const asItIs: FileBody = { encoding: 'text', bytes: null };
  if (!(await beginsWithQuote(file)) || statSync(file).size > maxStringBytes) return asItIs;
  const text = readFileSync(file, 'utf8');
  const { encoding, body } = normaliseResult({ status: 'success', content: [{ text }] });
  return encoding === 'unwrapped' ? { encoding, bytes: body } : asItIs;
}

/** The body's bytes, piece by piece. */
export function bodyChunks(file: string, { bytes }: FileBody): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return bytes === null ? createReadStream(file, { highWaterMark: 256 * 1024 }) : [bytes];
}

async function beginsWithQuote(file: string): Promise<boolean> {
  for await (const piece of fileChunks(file)) {
    const first = piece.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
    if (first !== undefined) return first === 0x22;
  }
  return false;
}
