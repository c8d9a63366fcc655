/**
 * A JSON array of fixed-width records that exists only as a formula: any byte range of it can be made on its own, so
 * a result of any size costs no memory in the process that reads it.
 */
export class SyntheticBody {
  readonly bytes: number;
  readonly records: number;
  readonly #width: number;
  readonly #template: Buffer;

  constructor(records: number) {
    this.records = records;
    this.#template = Buffer.from(recordText(0));
    this.#width = this.#template.length + 1;
    this.bytes = records * this.#width + 1;
  }

  /** Bytes `[start, end)`, in a buffer of their own. */
  range(start: number, end: number): Uint8Array {
    const out = Buffer.alloc(end - start);
    const first = Math.floor(Math.max(0, start - 1) / this.#width);
    for (let record = first; ; record += 1) {
      // Every record is followed by a comma, the last one by the bracket that closes the list.
      const at = 1 + record * this.#width;
      if (at >= end) break;
      const text = Buffer.concat([this.#template, record === this.records - 1 ? close : comma]);
      text.write(String(firstId + record), idAt, 'latin1');
      text.copy(out, Math.max(0, at - start), Math.max(0, start - at), Math.min(this.#width, end - at));
    }
    if (start === 0) out[0] = 0x5b;
    return out;
  }

  async *stream(pieceBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.bytes; at += pieceBytes) yield this.range(at, Math.min(this.bytes, at + pieceBytes));
  }
}

export const firstId = 1_000_000_000;
const idAt = '{"id":'.length;
const comma = Buffer.from(',');
const close = Buffer.from(']');

/** About 210 bytes, as rows of a table usually are. */
function recordText(n: number): string {
  return `{"id":${firstId + n},"name":"customer","amount":12.50,"address":{"city":"Lisbon","zip":"10001"},"tags":["a","b"],"open":true,"note":"${'words of a note '.repeat(5)}"}`;
}
