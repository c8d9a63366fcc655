import { type ByteWriter, oddAscii } from './byte-writer.ts';
import type { Row } from './row-value.ts';
import { typedJson } from './typed-json.ts';

const quote = 0x22;
/** What a JSON string escapes. */
const odd = oddAscii('"\\');

/**
 * Writes rows as typed JSON objects, one a line: numbers stay numbers, a text such as `=1+1` stays what it was. Keys
 * come in the order of the row, spelled once and copied afterwards.
 */
export class TypedRows {
  private readonly without: string | undefined;
  /** `"key":` as bytes, for keys seen before. */
  private readonly spelled = new Map<string, Buffer>();
  /** The keys of the row before and their spelling, since rows of one source have theirs in one order. */
  private readonly keys: string[] = [];
  private readonly spellings: Buffer[] = [];

  constructor(without?: string) {
    this.without = without;
  }

  /** Writes one row and its line feed. */
  write(row: Row, out: ByteWriter): void {
    const keys = Object.keys(row);
    out.room(1);
    out.byte(0x7b);
    let members = 0;
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as string;
      const value = row[key];
      if (key === this.without || value === undefined || typeof value === 'function' || typeof value === 'symbol') {
        continue;
      }
      if (members > 0) {
        out.room(1);
        out.byte(0x2c);
      }
      members += 1;
      out.copy(this.keys[at] === key ? (this.spellings[at] as Buffer) : this.spelling(key, at));
      this.value(value, out);
    }
    out.room(2);
    out.byte(0x7d);
    out.byte(0x0a);
  }

  private value(value: unknown, out: ByteWriter): void {
    switch (typeof value) {
      case 'string':
        if (!out.plain(value, odd, quote)) out.text(JSON.stringify(value));
        return;
      case 'number':
        if (Number.isFinite(value)) out.number(value);
        else out.ascii(`"${value}"`);
        return;
      case 'boolean':
        out.ascii(value ? 'true' : 'false');
        return;
      default:
        if (value === null) out.ascii('null');
        else out.text(typedJson(value));
    }
  }

  private spelling(key: string, at: number): Buffer {
    let bytes = this.spelled.get(key);
    if (bytes === undefined) {
      bytes = Buffer.from(`${JSON.stringify(key)}:`, 'utf8');
      // Keys that are data (ids as keys) must not fill the memory.
      if (this.spelled.size < 10_000) this.spelled.set(key, bytes);
    }
    this.keys[at] = key;
    this.spellings[at] = bytes;
    return bytes;
  }
}
