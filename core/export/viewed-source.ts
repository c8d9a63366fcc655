import { JsonView } from '../tool/view-json.ts';
import { ByteWriter } from './byte-writer.ts';
import { pieceBytes } from './csv-file.ts';
import { type RowSource, toldTotal } from './export-rows.ts';
import { jsonRow } from './json-rows.ts';
import { rowOf } from './row-value.ts';
import { TypedRows } from './typed-rows.ts';

/**
 * A list reduced to the fields kept, by the same filter as every other result (DESIGN 7.6): rows are written as typed
 * lines, filtered, and read back with their own digits. The source's total is read before and is the view's as well:
 * a view withholds fields, never rows.
 */
export function viewedSource(source: RowSource, kept: readonly string[]): RowSource {
  let told: number | null = null;
  async function* lines(): AsyncGenerator<Uint8Array> {
    const typed = new TypedRows(source.totalColumn);
    const out = new ByteWriter();
    // Told that these are rows: one row alone would look like a document around a list.
    const view = new JsonView(kept, true);
    let first = true;
    for await (const item of source.rows) {
      for (const row of source.batched === true ? (item as readonly unknown[]) : [item]) {
        if (first && source.totalColumn !== undefined) told = toldTotal(row, source.totalColumn);
        first = false;
        typed.write(rowOf(row), out);
        if (out.at < pieceBytes) continue;
        yield view.write(out.bytes.subarray(0, out.at));
        out.reset();
      }
    }
    yield view.write(out.bytes.subarray(0, out.at));
    yield view.end();
  }
  return { rows: readLines(lines()), total: async () => told ?? (await source.total?.()) ?? null };
}

async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      yield jsonRow(bytes.toString('utf8', from, end));
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) yield jsonRow(rest.toString('utf8'));
}
