import { writeWhole } from './child-channel.ts';

const descriptor = 4;
const pieceBytes = 64 * 1024;

/** Rows as NDJSON to the engine's own process, which puts them together: all of them, or none beyond `maxBytes`. */
export class KeptRows {
  readonly #names: readonly string[];
  readonly #maxBytes: number;
  #pending: string[] = [];
  #pendingBytes = 0;
  #bytes = 0;

  /** `names`: of the columns, each once. */
  constructor(names: readonly string[], maxBytes: number) {
    this.#names = names.map((name, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    this.#maxBytes = maxBytes;
  }

  /** One row, every cell as JSON text. */
  row(cells: readonly string[]): void {
    if (this.over) return;
    let line = '';
    for (let at = 0; at < cells.length; at += 1) line += (this.#names[at] as string) + (cells[at] as string);
    line += '}\n';
    const bytes = Buffer.byteLength(line, 'utf8');
    this.#bytes += bytes;
    if (this.over) return;
    this.#pending.push(line);
    this.#pendingBytes += bytes;
    if (this.#pendingBytes >= pieceBytes) this.#flush();
  }

  /** True when they were all sent. */
  end(): boolean {
    if (!this.over) this.#flush();
    return !this.over;
  }

  get over(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  #flush(): void {
    writeWhole(descriptor, Buffer.from(this.#pending.join(''), 'utf8'));
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
