const nothing = new Uint8Array(0);

/** Bytes kept from pieces that are about to be overwritten, up to a cap; one buffer, grown by doubling. */
export class ByteStore {
  length = 0;
  /** More came than the cap allows. */
  overflowed = false;
  #bytes: Uint8Array = nothing;
  readonly #cap: number;

  constructor(cap: number) {
    this.#cap = cap;
  }

  get full(): boolean {
    return this.length >= this.#cap;
  }

  append(b: Uint8Array, from: number, to: number): void {
    const room = this.#cap - this.length;
    if (to - from > room) {
      this.overflowed = true;
      to = from + room;
    }
    if (to <= from) return;
    const needed = this.length + to - from;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#cap, Math.max(needed, this.#bytes.length * 2, 1024)));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(b.subarray(from, to), this.length);
    this.length = needed;
  }

  clear(): void {
    this.length = 0;
    this.overflowed = false;
  }

  /** What is held; valid until the next call. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}
