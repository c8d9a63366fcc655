import { ByteStore } from './byte-store.ts';
import type { KeyPath } from './key-path.ts';

const maxFields = 200;
const maxValueBytes = 256;

interface Tree {
  [key: string]: unknown;
}

/** The scalars that stand outside every list of a document, nested as they came: a tool says there what it left out. */
export class AroundFields {
  readonly tree: Tree = Object.create(null) as Tree;
  readonly #store = new ByteStore(maxValueBytes);
  #fields = 0;

  /** `wanted` false: nobody asks for them. */
  constructor(wanted: boolean) {
    if (!wanted) this.#fields = maxFields;
  }

  get wants(): boolean {
    return this.#fields < maxFields;
  }

  /** A value that goes on in the next piece. */
  valuePiece(b: Uint8Array, from: number, to: number): void {
    this.#store.append(b, from, to);
  }

  /** The value's last bytes; its key is the path's at `depth - 1`. */
  value(b: Uint8Array, from: number, to: number, path: KeyPath, depth: number): void {
    this.#store.append(b, from, to);
    const short = !this.#store.overflowed;
    // That a long text is there says enough: a page token of a kilobyte is one.
    const text = short ? Buffer.from(this.#store.view()).toString() : '"…"';
    this.#store.clear();
    this.#fields += 1;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    let at = this.tree;
    for (let level = 0; level < depth - 1; level++) {
      const name = path.name(level);
      const next = at[name];
      if (typeof next === 'object' && next !== null) at = next as Tree;
      else {
        const made = Object.create(null) as Tree;
        at[name] = made;
        at = made;
      }
    }
    at[path.name(depth - 1)] = value;
  }
}
