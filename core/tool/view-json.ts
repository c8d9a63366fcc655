import { JsonEvents, type JsonHandler, type JsonValueKind, type JsonVerdict } from '../read/json-events.ts';
import type { ViewFilter } from './view.ts';

/** `around`: objects between the root and the list. `list`: the rows. `record`: a row, or what a kept path leads into. */
type Place = 'around' | 'list' | 'record';

interface Frame {
  readonly kind: JsonValueKind;
  readonly place: Place;
  /** What is left of the kept paths here. */
  readonly wants: readonly string[];
  /** Text before it: its key, when it stands in an object. */
  readonly label: string;
  /** Written already; objects and lists around the rows are written with the first thing kept inside them. */
  opened: boolean;
  children: number;
  /** Withheld rows of a list that is not written yet. */
  withheld: number;
}

/**
 * A view over JSON: one document, or many roots a line each (NDJSON). A row of which nothing is kept stays as `{}`,
 * so counts and positions are those of the tool; a list in which no row keeps anything is not even named. Once the
 * text stops being JSON, nothing more is written: the copy ends there, cut, and is counted as such.
 */
export class JsonView implements ViewFilter {
  readonly #kept: readonly string[];
  readonly #manyRoots: boolean;
  #events: JsonEvents;
  readonly #frames: Frame[] = [];
  #label = '';
  #next: readonly string[] = [];
  #roots = 0;
  #stopped = false;
  #out: Uint8Array[] = [];

  constructor(kept: readonly string[], manyRoots: boolean) {
    this.#kept = kept;
    this.#manyRoots = manyRoots;
    this.#events = new JsonEvents(this.#handler);
  }

  write(piece: Uint8Array): Uint8Array {
    if (!this.#manyRoots) {
      if (!this.#stopped) this.#events.write(piece);
      return this.#flush();
    }
    // A raw line feed ends a record whatever is open: one broken line never takes the next with it.
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let from = 0;
    while (from < bytes.length) {
      const newline = bytes.indexOf(0x0a, from);
      const end = newline < 0 ? bytes.length : newline;
      this.#events.write(bytes, from, end);
      if (newline < 0) break;
      this.#endLine();
      from = newline + 1;
    }
    return this.#flush();
  }

  end(): Uint8Array {
    if (this.#manyRoots) this.#endLine();
    else this.#events.finish();
    return this.#flush();
  }

  #endLine(): void {
    if (!this.#events.finish()) {
      // Stays one broken line: what was kept of it is not closed, and none of the rest is written.
      if (this.#frames.length === 0) this.#brokenLine();
      this.#frames.length = 0;
    }
    this.#events = new JsonEvents(this.#handler);
  }

  readonly #handler: JsonHandler = {
    value: (kind) => this.#value(kind),
    key: (name) => {
      this.#label = `${JSON.stringify(name)}:`;
      this.#next = (this.#frames.at(-1)?.wants ?? []).flatMap((want) => rest(want, name));
    },
    raw: (buffer, start, end) => {
      if (!this.#stopped) this.#out.push(Buffer.from(buffer.subarray(start, end)));
    },
    taken: () => {},
    close: () => this.#close(),
  };

  #value(kind: JsonValueKind): JsonVerdict {
    if (this.#stopped) return 'skip';
    const parent = this.#frames.at(-1);
    if (parent === undefined) return this.#root(kind);
    if (parent.kind === 'array') {
      this.#label = '';
      if (kind === 'object') return this.#enter(kind, 'record', parent.wants, parent.place === 'record');
      if (kind === 'array' && parent.place === 'record') return this.#enter(kind, 'record', parent.wants, true);
      this.#withhold(parent);
      return 'skip';
    }
    if (this.#next.includes('')) {
      this.#open(parent);
      this.#text(`${parent.children++ === 0 ? '' : ','}${this.#label}`);
      return 'take';
    }
    if (kind === 'scalar') return 'skip';
    if (parent.place === 'around') {
      if (kind === 'object') return this.#enter(kind, 'around', this.#next, false);
      return this.#enter(kind, 'list', [...this.#kept, ...this.#next], false);
    }
    return this.#next.length === 0 ? 'skip' : this.#enter(kind, 'record', this.#next, true);
  }

  #root(kind: JsonValueKind): JsonVerdict {
    const first = this.#roots++ === 0;
    if (this.#manyRoots) {
      if (kind !== 'object') {
        this.#roots -= 1;
        this.#brokenLine();
        return 'skip';
      }
      this.#label = first ? '' : '\n';
      return this.#enter(kind, 'record', this.#kept, true);
    }
    this.#label = '';
    if (!first) {
      this.#stopped = true;
      this.#text('\n{');
      return 'skip';
    }
    if (kind === 'object') return this.#enter(kind, 'around', this.#kept, true);
    if (kind === 'array') return this.#enter(kind, 'list', this.#kept, true);
    this.#text('null');
    return 'skip';
  }

  #enter(kind: JsonValueKind, place: Place, wants: readonly string[], openNow: boolean): JsonVerdict {
    const frame: Frame = { kind, place, wants, label: this.#label, opened: false, children: 0, withheld: 0 };
    this.#frames.push(frame);
    // A row of a list that is written already is written at once: its place counts even when nothing is kept.
    if (openNow || (this.#frames.at(-2)?.place === 'list' && this.#frames.at(-2)?.opened)) this.#open(frame);
    return 'enter';
  }

  #open(frame: Frame): void {
    for (let depth = 0; depth < this.#frames.length; depth += 1) {
      const at = this.#frames[depth] as Frame;
      if (!at.opened) {
        const parent = this.#frames[depth - 1];
        const separator = parent === undefined || parent.children++ === 0 ? '' : ',';
        this.#text(`${separator}${at.label}${at.kind === 'object' ? '{' : '['}`);
        at.opened = true;
        for (; at.withheld > 0; at.withheld -= 1) this.#text(at.children++ === 0 ? '{}' : ',{}');
      }
      if (at === frame) return;
    }
  }

  #withhold(list: Frame): void {
    if (list.opened) this.#text(list.children++ === 0 ? '{}' : ',{}');
    else list.withheld += 1;
  }

  #close(): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    // An empty list hides nothing, and "no rows" is an answer.
    if (!frame.opened && frame.place === 'list' && frame.withheld === 0) this.#open(frame);
    this.#frames.pop();
    if (frame.opened) this.#text(frame.kind === 'object' ? '}' : ']');
    else if (frame.place === 'record') {
      const list = this.#frames.at(-1);
      if (list !== undefined) this.#withhold(list);
    }
  }

  /** A line without fields cannot be filtered: it is counted as lost, and none of its text is kept. */
  #brokenLine(): void {
    this.#text(this.#roots++ === 0 ? '{' : '\n{');
  }

  #text(text: string): void {
    this.#out.push(Buffer.from(text, 'utf8'));
  }

  #flush(): Uint8Array {
    const bytes = Buffer.concat(this.#out);
    this.#out = [];
    return bytes;
  }
}

function rest(want: string, name: string): string[] {
  if (want === name) return [''];
  return want.startsWith(`${name}.`) ? [want.slice(name.length + 1)] : [];
}
