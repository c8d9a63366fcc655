import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../json.ts';
import { isSmall, jsonPieces } from '../wrap/json-pieces.ts';
import { parsedLength } from './json-check.ts';
import { looksStructured, parsedJson } from './json-text.ts';
import { unquoted } from './quoted.ts';
import type { Steps } from './steps.ts';

/** A value that seems small is looked for in at most so many characters: more are taken for another value. */
const longestSmall = 1024 * 1024;

/** Are these values the same? Nested deeper than a comparison recurses they are taken as different: nothing is lost. */
export function* equalValues(left: JsonValue | undefined, right: JsonValue): Steps<boolean> {
  if (left === right) return true;
  if (left === undefined) return false;
  if (isSmall(left) || isSmall(right)) return equal(left, right);
  yield;
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return false;
    for (const [at, element] of left.entries()) if (!(yield* equalValues(element, right[at]))) return false;
    return true;
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    if (!(yield* equalValues(left[key], right[key] as JsonValue))) return false;
  }
  return true;
}

/** Is the text JSON for this value, however it is written? A key that stands twice makes it another one. */
export function* saysTheSame(text: string, value: JsonValue): Steps<boolean> {
  if (!looksStructured(text)) return false;
  if (text.length <= parsedLength) {
    const parsed = parsedJson(text);
    return parsed !== undefined && equal(parsed, value);
  }
  if (typeof value !== 'object' || value === null) return false;
  if (yield* isWritten(text, value)) return true;
  const reading = new Reading(text);
  return (yield* reading.same(value)) && reading.over;
}

/** Is it the very text that the serialiser makes? Most servers send that one, and it is told in half the time. */
function* isWritten(text: string, value: JsonValue): Steps<boolean> {
  let at = 0;
  for (const piece of jsonPieces(value)) {
    if (!text.startsWith(piece, at)) return false;
    at += piece.length;
    yield;
  }
  return at === text.length;
}

/** A walk over a JSON text beside the value that it may say. */
class Reading {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Nothing but white space is left. */
  get over(): boolean {
    this.#skipBlank();
    return this.#at === this.#text.length;
  }

  *same(value: JsonValue): Steps<boolean> {
    this.#skipBlank();
    if (isSmall(value)) {
      const parsed = this.#taken(this.#valueEnd());
      yield;
      return parsed !== undefined && equal(parsed, value);
    }
    if (typeof value === 'string') return yield* this.#sameText(value);
    if (Array.isArray(value)) {
      for (const [at, element] of value.entries()) {
        if (!this.#take(at === 0 ? '[' : ',') || !(yield* this.same(element))) return false;
      }
      return this.#take(']');
    }
    return isObject(value) && (yield* this.#sameMembers(value));
  }

  *#sameText(value: string): Steps<boolean> {
    const end = this.#stringEnd();
    if (end < 0) return false;
    let said = 0;
    try {
      for (const piece of unquoted(this.#text, this.#at + 1, end - 1)) {
        if (!value.startsWith(piece, said)) return false;
        said += piece.length;
        yield;
      }
    } catch {
      return false;
    }
    this.#at = end;
    return said === value.length;
  }

  *#sameMembers(value: Readonly<Record<string, JsonValue>>): Steps<boolean> {
    const seen = new Set<string>();
    do {
      if (!this.#take(seen.size === 0 ? '{' : ',')) return false;
      this.#skipBlank();
      const key = this.#taken(this.#stringEnd());
      if (typeof key !== 'string' || seen.has(key) || !Object.hasOwn(value, key)) return false;
      seen.add(key);
      if (!this.#take(':') || !(yield* this.same(value[key] as JsonValue))) return false;
      this.#skipBlank();
    } while (this.#text[this.#at] === ',');
    return this.#take('}') && seen.size === Object.keys(value).length;
  }

  #take(sign: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  /** The value up to `end`, which is passed; undefined where there is none. */
  #taken(end: number): JsonValue | undefined {
    if (end < 0) return undefined;
    const parsed = parsedJson(this.#text.slice(this.#at, end));
    this.#at = end;
    return parsed;
  }

  #skipBlank(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at += 1;
    }
  }

  /** Where the value that begins here ends; -1 when that is nowhere near. */
  #valueEnd(): number {
    const text = this.#text;
    const farthest = Math.min(text.length, this.#at + longestSmall);
    let depth = 0;
    for (let at = this.#at; at < farthest; ) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) {
        at = this.#stringEnd(at);
        if (at < 0 || depth === 0) return at;
        continue;
      }
      const opens = unit === 0x5b || unit === 0x7b;
      const closes = unit === 0x5d || unit === 0x7d;
      if (depth === 0 && (closes || unit === 0x2c || unit <= 0x20)) return at;
      at += 1;
      if (opens) depth += 1;
      if (closes && --depth === 0) return at;
    }
    return -1;
  }

  #stringEnd(start = this.#at): number {
    const text = this.#text;
    if (text.charCodeAt(start) !== 0x22) return -1;
    for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
      let slashes = 0;
      while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
      if (slashes % 2 === 0) return at + 1;
    }
    return -1;
  }
}

function equal(left: JsonValue, right: JsonValue): boolean {
  try {
    return isDeepStrictEqual(left, right);
  } catch {
    return false;
  }
}

function isObject(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
