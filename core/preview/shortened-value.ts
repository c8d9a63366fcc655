import { type JsonEvents, JsonMachine } from '../scan/json-machine.ts';
import { asBuffer, characterPrefix } from './fitting.ts';

/** Stands where bytes of a value are left out; nobody takes it for the tool's own words. */
export const shortenedMark = '…[shortened]';
const markBytes = Buffer.byteLength(shortenedMark);
const markMember = `"…":"[shortened]"`;
const markElement = `"${shortenedMark}"`;
const markRoom = Buffer.byteLength(markMember) + 1;
/** Containers inside containers that a beginning shows; thousands of brackets say nothing and break lesser parsers. */
const maxDepth = 100;
/** A string is never shortened to less than this many bytes. */
const minStringBytes = 32;

/**
 * A JSON value that does not fit, as valid JSON of at most `room` bytes: its own bytes with long strings cut and marked,
 * ended with a marked member or element where the room (or `json`, which may be only the value's beginning) ends.
 * Null when not even a marked beginning fits.
 */
export function shortenedValue(json: Uint8Array, room: number): Buffer | null {
  const first = json[0];
  if (first === 0x22) return room >= markBytes + 2 ? cutString(json, 0, json.length, room) : null;
  if (first !== 0x7b && first !== 0x5b) return null;
  return new Shortener(json, room).run();
}

/** Cuts between two spans of output; positions of open containers come from the recogniser itself. */
class Shortener implements JsonEvents {
  readonly #json: Uint8Array;
  readonly #room: number;
  readonly #stringBytes: number;
  readonly #machine: JsonMachine;
  readonly #parts: Uint8Array[] = [];
  #written = 0;
  #copied = 0;
  #scalarAt = -1;
  #scalarByte = 0;
  #cuts = 0;
  /** Where the output may end: its parts, the last part's length, its size, open containers, whether one is empty. */
  #safe = { parts: 0, written: 0, copied: 0, depth: 0, empty: true };
  #full = false;
  #done = false;
  #end = 0;
  #ending = '';

  constructor(json: Uint8Array, room: number) {
    this.#json = json;
    this.#room = room;
    this.#stringBytes = Math.max(minStringBytes, Math.floor(room / 4));
    this.#machine = new JsonMachine(this, {});
  }

  run(): Buffer | null {
    // In steps, so that a value that is much longer than the room is not read to its end.
    for (let at = 0; at < this.#json.length && !this.#full && !this.#done; at += 1024) {
      this.#machine.write(this.#json, at, Math.min(this.#json.length, at + 1024));
      if (this.#machine.fault >= 0) break;
    }
    if (this.#done && !this.#full) return Buffer.concat([...this.#parts, this.#json.subarray(this.#copied, this.#end)]);
    if (!this.#full) this.#cutOpenString();
    return this.#closed();
  }

  valueStart(at: number, depth: number, firstByte: number): void {
    if (this.#full) return;
    if (firstByte === 0x7b || firstByte === 0x5b) {
      this.#note(at + 1, depth + 1, true);
      this.#scalarAt = -1;
    } else {
      this.#scalarAt = at;
      this.#scalarByte = firstByte;
    }
  }

  valueEnd(end: number, depth: number, bad: boolean): void {
    if (this.#full) return;
    if (bad) {
      this.#stop();
      return;
    }
    if (this.#scalarAt >= 0 && this.#scalarByte === 0x22 && end - this.#scalarAt > this.#stringBytes + markBytes) {
      this.#cutString(end);
    }
    this.#scalarAt = -1;
    if (depth === 0) {
      this.#done = true;
      this.#end = end;
      if (this.#written + end - this.#copied > this.#room) this.#stop();
    } else this.#note(end, depth, false);
  }

  keyPiece(): void {}
  trailing(): void {}
  lineEnd(): void {}

  #cutString(end: number): void {
    const at = this.#scalarAt;
    const cut = cutString(this.#json, at, end, this.#stringBytes + markBytes + 2);
    this.#push(this.#json.subarray(this.#copied, at));
    this.#push(cut);
    this.#copied = end;
    this.#cuts += 1;
  }

  /** The input ends inside a string value: what there is of it, marked. */
  #cutOpenString(): void {
    if (this.#scalarAt < 0 || this.#scalarByte !== 0x22) return;
    const depth = this.#machine.depth;
    const room = this.#room - (this.#written + this.#scalarAt - this.#copied) - depth - markRoom;
    if (room < minStringBytes) return;
    const cut = cutString(this.#json, this.#scalarAt, this.#json.length, room);
    this.#push(this.#json.subarray(this.#copied, this.#scalarAt));
    this.#push(cut);
    this.#copied = this.#json.length;
    this.#cuts += 1;
    this.#note(this.#copied, depth, false);
  }

  #push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#written += part.length;
  }

  /** The output may end after byte `at` of the input, if the open containers and a mark still fit. */
  #note(at: number, depth: number, empty: boolean): void {
    const size = this.#written + at - this.#copied;
    if (size + depth + markRoom > this.#room || depth > maxDepth) {
      this.#stop();
      return;
    }
    this.#safe = { parts: this.#parts.length, written: at, copied: this.#copied, depth, empty };
  }

  /** No more is taken. The ending is made now: the recogniser reads on and forgets which containers were open. */
  #stop(): void {
    this.#full = true;
    const { depth, empty } = this.#safe;
    if (depth === 0) return;
    const open = this.#machine;
    const levels = Array.from({ length: depth }, (_, i) => (open.isList(depth - 1 - i) ? ']' : '}'));
    this.#ending = `${empty ? '' : ','}${open.isList(depth - 1) ? markElement : markMember}${levels.join('')}`;
  }

  #closed(): Buffer | null {
    if (!this.#full) this.#stop();
    const { parts, written, copied, depth } = this.#safe;
    if (depth === 0) return null;
    const shown = this.#json.subarray(copied, written);
    return Buffer.concat([...this.#parts.slice(0, parts), shown, Buffer.from(this.#ending)]);
  }
}

/** The string token `json[at, end)` (perhaps not whole) in at most `room` bytes, cut between characters and escapes. */
function cutString(json: Uint8Array, at: number, end: number, room: number): Buffer {
  const body = asBuffer(json.subarray(at + 1, end));
  let prefix = characterPrefix(body, Math.max(0, room - markBytes - 2));
  if (prefix.length === body.length && end > at + 1 && body[body.length - 1] === 0x22) prefix = prefix.subarray(0, -1);
  return Buffer.concat([
    Buffer.from('"'),
    prefix.subarray(0, escapeBoundary(prefix)),
    Buffer.from(`${shortenedMark}"`),
  ]);
}

/** Length without an escape that is cut at the end, or the half of a surrogate pair. */
function escapeBoundary(text: Uint8Array): number {
  let i = 0;
  let safe = 0;
  while (i < text.length) {
    const c = text[i] as number;
    if (c !== 0x5c) i++;
    else i += text[i + 1] === 0x75 ? (isHighSurrogate(text, i) ? 12 : 6) : 2;
    if (i <= text.length) safe = i;
  }
  return safe;
}

/** The escape at `at` is the first half of a pair whose second half follows, or may have been cut off. */
function isHighSurrogate(text: Uint8Array, at: number): boolean {
  const hex = asBuffer(text.subarray(at + 2, at + 6)).toString('latin1');
  if (!/^d[89ab]/i.test(hex)) return false;
  return text.length < at + 8 || (text[at + 6] === 0x5c && text[at + 7] === 0x75);
}
