import { type JsonEvents, JsonMachine } from '../scan/json-machine.ts';
import { looksStructured, parsedJson } from './json-text.ts';
import type { Steps } from './steps.ts';

/** Characters of a text that are parsed in one go; of longer ones only the grammar is checked, in steps. */
export const parsedLength = 256 * 1024;
const sliceLength = 64 * 1024;

const nobody: JsonEvents = { valueStart() {}, valueEnd() {}, keyPiece() {}, trailing() {}, lineEnd() {} };

/** Is this text a JSON array or object, by `JSON.parse`'s own rules? */
export function* isStructured(text: string): Steps<boolean> {
  if (!looksStructured(text)) return false;
  return text.length <= parsedLength ? parsedJson(text) !== undefined : yield* isJson([text]);
}

/** Do these pieces make one JSON document? Throws what they throw. */
export function* isJson(pieces: Iterable<string>): Steps<boolean> {
  const machine = new JsonMachine(nobody, { watch: 0 });
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += sliceLength) {
      const bytes = Buffer.from(piece.slice(from, from + sliceLength), 'utf8');
      // NaN and the infinities are let through by the machine, and are no JSON.
      if (machine.write(bytes, 0, bytes.length) < bytes.length || machine.fault >= 0 || machine.odd > 0) return false;
      yield;
    }
  }
  return machine.end() && machine.odd === 0;
}
