/**
 * The first rows of a list as JSON text within a byte budget, for payloads whose rows come one by one. Rows are given
 * already serialised by whoever writes the final payload, so the budget counts the bytes that are really written,
 * brackets and commas included. Stops at the first row that does not fit and never resumes: a smaller later row must
 * not slip into the gap.
 */
export class InlinePrefix {
  readonly #budget: number;
  readonly #rows: string[] = [];
  #bytes = 2;
  #stopped = false;

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes;
  }

  /** False, now and for every later row, once a row did not fit. */
  offer(rowJson: string): boolean {
    if (this.#stopped) return false;
    const bytes = this.#bytes + Buffer.byteLength(rowJson) + (this.#rows.length === 0 ? 0 : 1);
    if (bytes > this.#budget) {
      this.#stopped = true;
      return false;
    }
    this.#bytes = bytes;
    this.#rows.push(rowJson);
    return true;
  }

  /** Rows taken. */
  get rows(): number {
    return this.#rows.length;
  }

  /** A row was refused. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** UTF-8 bytes of `text()`. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A JSON array of the rows. */
  text(): string {
    return `[${this.#rows.join(',')}]`;
  }
}
