/** Bytes of keys that are kept, over all levels; longer ones are cut in the path's text. */
const arenaBytes = 64 * 1024;
/** Levels that a path names. */
const maxLevels = 64;
/** Characters of a path that are told: it names a place, and is no place for content. */
const shownCharacters = 256;
const plainKey = /^[^\s.[\]"'\\\p{C}]+$/u;

/** A path as it is told, cut between characters; what tells two lists apart in a scan is the whole one. */
export function shownPath(path: string): string {
  if (path.length <= shownCharacters) return path;
  return `${path.slice(0, shownCharacters).replace(/\p{Surrogate}$/u, '')}…`;
}

interface Nesting {
  isList(depth: number): boolean;
}

/** The keys that lead to where a scan stands, as raw bytes, one per open container. */
export class KeyPath {
  // Up to 64 bytes a typed array lies in the engine's own heap: most documents need no more and allocate nothing.
  #arena = new Uint8Array(64);
  readonly #ends: number[] = [];

  /** A container opens inside `depth` others. */
  enter(depth: number): void {
    this.#ends[depth] = this.#start(depth);
  }

  /** The current key of the object at `depth`, or a further piece of it. */
  key(b: Uint8Array, from: number, to: number, depth: number, first: boolean): void {
    let at = first ? this.#start(depth) : (this.#ends[depth] as number);
    const end = Math.min(to, from + arenaBytes - at);
    if (at + end - from > this.#arena.length) {
      const wider = new Uint8Array(Math.min(arenaBytes, Math.max(this.#arena.length * 2, at + end - from)));
      wider.set(this.#arena);
      this.#arena = wider;
    }
    for (let i = from; i < end; i++) this.#arena[at++] = b[i] as number;
    this.#ends[depth] = at;
  }

  /** Raw keys down to `depth`, null for a list on the way; null when that is too deep. */
  keys(depth: number, nesting: Nesting): readonly (Uint8Array | null)[] | null {
    if (depth > maxLevels) return null;
    return Array.from({ length: depth }, (_, level) => (nesting.isList(level) ? null : this.#raw(level).slice()));
  }

  /** The key's value at one level, escapes read. */
  name(level: number): string {
    const raw = Buffer.from(this.#raw(level)).toString();
    if (!raw.includes('\\')) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return raw;
    }
  }

  /** E.g. `payload.page.rows`, `results[0].items`, `["a.b"]`; `counts` has the elements seen of the lists on the way. */
  text(depth: number, nesting: Nesting, counts: readonly number[]): string {
    let path = '';
    for (let level = 0; level < Math.min(depth, maxLevels); level++) {
      if (nesting.isList(level)) path += `[${(counts[level] as number) - 1}]`;
      else {
        const name = this.name(level);
        if (!plainKey.test(name)) path += `[${JSON.stringify(name)}]`;
        else path += path === '' ? name : `.${name}`;
      }
    }
    return depth > maxLevels ? `${path}…` : path;
  }

  #start(depth: number): number {
    return depth === 0 ? 0 : (this.#ends[depth - 1] ?? 0);
  }

  #raw(level: number): Uint8Array {
    return this.#arena.subarray(this.#start(level), this.#ends[level] ?? 0);
  }
}
