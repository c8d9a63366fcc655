import { JsonEvents, type JsonHandler, type JsonValueKind, type JsonVerdict } from './json-events.ts';

/** A wanted field somewhere below the value that comes next: what is left of its path, and how it got here. */
interface Want {
  readonly field: number;
  readonly rest: string;
  /** Lengths of the keys that matched, in order: of two ways to spell a path, the one with the longer keys counts. */
  readonly rank: string;
}

/** Keys remembered: records of one list share theirs, and a list of odd ones must not fill the memory. */
const maxSteps = 1000;

interface Level {
  readonly wants: readonly Want[];
  /** Of the next element, in an array. */
  index: number;
}

/**
 * Picks fields out of records, by the path that the reader wrote: `id`, `address.city`, `tags.0`. A literal key
 * `address.city` comes first. Values keep their own bytes, so 12345678901234567890 keeps its digits; a field that a
 * record lacks is left out of it, which is not the same as `null`.
 * One value larger than `maxValueBytes` is counted but not held; `overflow` tells.
 */
export class FieldPicker {
  readonly #names: readonly Buffer[];
  readonly #maxBytes: number;
  readonly #firstOnly: boolean;
  readonly #root: readonly Want[];
  /** What each top-level key leads to: the same in every record. */
  readonly #steps = new Map<string, readonly Want[]>();
  readonly #events: JsonEvents;
  #levels: Level[] = [];
  #next: readonly Want[] = [];
  #taking: readonly Want[] = [];
  /** Wanted from inside a value that is taken whole. */
  #inside: readonly Want[] = [];
  #pieces: Buffer[] = [];
  #takenBytes = 0;
  #found: ({ readonly rank: string; readonly bytes: Buffer } | undefined)[] = [];
  #heldBytes = 0;
  /** Bytes that a picked value had beyond what may be held. */
  overflow = false;
  /** Fields, by position, that at least one record had. */
  readonly seen: boolean[];

  /** With `firstOnly`, a record is not looked at any further once its first wanted value is there. */
  constructor(fields: readonly string[], maxValueBytes: number, firstOnly = false) {
    this.#firstOnly = firstOnly;
    this.#names = fields.map((field) => Buffer.from(`${JSON.stringify(field)}:`, 'utf8'));
    this.#maxBytes = maxValueBytes;
    this.seen = fields.map(() => false);
    this.#root = fields.map((field, position) => ({ field: position, rest: field, rank: '' }));
    this.#events = new JsonEvents(this.#handler);
  }

  begin(): void {
    this.#events.reset();
    this.#levels.length = 0;
    this.#next = this.#root;
    this.#found = [];
    this.#heldBytes = 0;
    this.overflow = false;
  }

  write(buffer: Uint8Array, start: number, end: number): void {
    this.#events.write(buffer, start, end);
  }

  /** The own bytes of one picked value of a whole record. */
  value(position: number): Buffer | undefined {
    this.#events.finish();
    return this.#found[position]?.bytes;
  }

  /** The record is whole: its picked fields, in the order they were asked for, as `{"id":7,"address.city":"…"}`. */
  end(): Buffer {
    this.#events.finish();
    const parts: Uint8Array[] = [];
    for (let position = 0; position < this.#names.length; position += 1) {
      const value = this.#found[position];
      if (value === undefined) continue;
      this.seen[position] = true;
      parts.push(parts.length === 0 ? openBrace : comma, this.#names[position] as Buffer, value.bytes);
    }
    parts.push(parts.length === 0 ? emptyObject : closeBrace);
    return Buffer.concat(parts);
  }

  readonly #handler: JsonHandler = {
    value: (kind) => this.#value(kind),
    key: (name) => {
      if (this.#levels.length === 1) {
        this.#next = this.#steps.get(name) ?? this.#firstStep(name);
        return;
      }
      const wants = this.#levels.at(-1)?.wants ?? [];
      this.#next = wants.flatMap((want) => step(want, name));
    },
    raw: (buffer, start, end) => {
      this.#takenBytes += end - start;
      if (this.#heldBytes + this.#takenBytes > this.#maxBytes) this.overflow = true;
      // The buffer is reused by its owner as soon as this call returns.
      else this.#pieces.push(Buffer.from(buffer.subarray(start, end)));
    },
    taken: () => {
      const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
      this.#heldBytes += bytes.length;
      for (const want of this.#taking) this.#keep(want, bytes);
      if (this.#firstOnly) this.#events.stop();
      if (this.#inside.length === 0) return;
      const inner = new FieldPicker(
        this.#inside.map((want) => want.rest),
        this.#maxBytes,
      );
      inner.begin();
      inner.write(bytes, 0, bytes.length);
      this.#inside.forEach((want, position) => {
        const value = inner.#found[position];
        if (value !== undefined) this.#keep(want, value.bytes);
      });
    },
    close: () => {
      this.#levels.pop();
    },
  };

  #firstStep(name: string): readonly Want[] {
    const wants = this.#root.flatMap((want) => step(want, name));
    if (this.#steps.size < maxSteps) this.#steps.set(name, wants);
    return wants;
  }

  #keep(want: Want, bytes: Buffer): void {
    const held = this.#found[want.field];
    // The last of two equal keys counts, as in every JSON parser.
    if (held === undefined || held.rank <= want.rank) this.#found[want.field] = { rank: want.rank, bytes };
  }

  #value(kind: JsonValueKind): JsonVerdict {
    const level = this.#levels.at(-1);
    if (level !== undefined && level.index >= 0) {
      const name = String(level.index++);
      this.#next = level.wants.flatMap((want) => step(want, name));
    }
    const wants = this.#next;
    const whole = wants.filter((want) => want.rest === '');
    if (whole.length > 0) {
      this.#taking = whole;
      this.#inside = wants.filter((want) => want.rest !== '');
      this.#pieces = [];
      this.#takenBytes = 0;
      return 'take';
    }
    if (wants.length === 0 || kind === 'scalar') return 'skip';
    this.#levels.push({ wants, index: kind === 'array' ? 0 : -1 });
    return 'enter';
  }
}

const openBrace = Buffer.from('{');
const closeBrace = Buffer.from('}');
const comma = Buffer.from(',');
const emptyObject = Buffer.from('{}');

function step(want: Want, name: string): Want[] {
  if (!want.rest.startsWith(name)) return [];
  const rank = want.rank + String(name.length).padStart(5, '0');
  if (want.rest === name) return [{ field: want.field, rest: '', rank }];
  if (want.rest[name.length] === '.') {
    return [{ field: want.field, rest: want.rest.slice(name.length + 1), rank }];
  }
  return [];
}
