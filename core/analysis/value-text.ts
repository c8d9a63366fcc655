/** Lists and objects inside one another: more than data needs, and few enough for whoever walks over them by calls. */
export const maxDepth = 200;

/** A script's value, found to be JSON; `items` of a list: how many, and those of them that fit, as a list of their own. */
export type ValueText =
  | { readonly fault: null; readonly items: { readonly count: number; readonly shown: string } | null }
  | { readonly fault: 'syntax' | 'depth' };

/**
 * Is it one JSON value? A script may get round the finisher that writes it (`script-prelude.ts`), so the host looks for
 * itself: in one walk that builds nothing, since a value of a few bytes takes many more as an object.
 */
export function readValueText(text: string, maxShownBytes: number): ValueText {
  const list = isList(text);
  const shown: string[] = [];
  let count = 0;
  let room = maxShownBytes - 2;
  const fault = new Walk(text, (start, end) => {
    count += 1;
    if (room < 0) return;
    // In bytes it is never shorter than in characters.
    const item = end - start > room ? '' : text.slice(start, end);
    room -= item === '' ? room + 1 : Buffer.byteLength(item, 'utf8') + 1;
    if (room >= 0) shown.push(item);
  }).run();
  if (fault !== null) return { fault };
  return { fault, items: list ? { count, shown: `[${shown.join(',')}]` } : null };
}

/**
 * The items of a list as they are written, number by number; null for another value. Whoever parses them and writes them
 * again rounds whole numbers beyond 2^53. The text was found to be one JSON value (`readValueText`).
 */
export function listItems(text: string): readonly string[] | null {
  if (!isList(text)) return null;
  const items: string[] = [];
  new Walk(text, (start, end) => items.push(text.slice(start, end))).run();
  return items;
}

function isList(text: string): boolean {
  return /^[ \t\r\n]*\[/.test(text);
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** `item`: told of every value that stands directly in the outermost list. */
class Walk {
  readonly #text: string;
  readonly #item: (start: number, end: number) => void;
  /** Of every open container, whether it is an object. */
  readonly #objects: boolean[] = [];
  #at = 0;
  #itemStart = 0;

  constructor(text: string, item: (start: number, end: number) => void) {
    this.#text = text;
    this.#item = item;
  }

  run(): 'syntax' | 'depth' | null {
    for (;;) {
      // A value begins here.
      const byte = this.#next();
      if (this.#objects.length === 1) this.#itemStart = this.#at;
      if (byte === openList || byte === openObject) {
        if (this.#objects.length === maxDepth) return 'depth';
        this.#objects.push(byte === openObject);
        this.#at += 1;
        if (this.#next() !== this.#closing()) {
          if (byte === openObject && !this.#key()) return 'syntax';
          continue;
        }
        this.#close();
      } else if (!this.#scalar(byte)) return 'syntax';
      const ended = this.#afterValue();
      if (ended !== null) return ended ? null : 'syntax';
    }
  }

  /** Behind a value: true at the end of the text, null where another value begins. */
  #afterValue(): boolean | null {
    for (;;) {
      if (this.#objects.length === 0) return Number.isNaN(this.#next());
      if (this.#objects.length === 1 && this.#objects[0] === false) this.#item(this.#itemStart, this.#at);
      const byte = this.#next();
      if (byte === this.#closing()) {
        this.#close();
        continue;
      }
      if (byte !== comma) return false;
      this.#at += 1;
      return this.#objects.at(-1) === true && !this.#key() ? false : null;
    }
  }

  #closing(): number {
    return this.#objects.at(-1) === true ? closeObject : closeList;
  }

  #close(): void {
    this.#objects.pop();
    this.#at += 1;
  }

  #key(): boolean {
    if (this.#next() !== quote || !this.#string() || this.#next() !== colon) return false;
    this.#at += 1;
    return true;
  }

  #scalar(byte: number): boolean {
    if (byte === quote) return this.#string();
    const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
    scalar.lastIndex = this.#at;
    if (!scalar.test(this.#text)) return false;
    this.#at = scalar.lastIndex;
    return true;
  }

  #string(): boolean {
    const text = this.#text;
    for (let at = this.#at + 1; at < text.length; at += 1) {
      const byte = text.charCodeAt(at);
      if (byte === quote) {
        this.#at = at + 1;
        return true;
      }
      if (byte < 0x20) return false;
      if (byte !== backslash) continue;
      at += 1;
      if (text[at] !== 'u') {
        if (!'"\\/bfnrt'.includes(text[at] ?? 'x')) return false;
      } else if (/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4;
      else return false;
    }
    return false;
  }

  /** Behind white space; NaN at the end. */
  #next(): number {
    for (;;) {
      const byte = this.#text.charCodeAt(this.#at);
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at += 1;
    }
  }
}
