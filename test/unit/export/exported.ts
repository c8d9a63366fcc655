import { parse as csvParse } from 'csv-parse/sync';
import Papa from 'papaparse';
import { type ExportedRows, type ExportOptions, exportRows, type RowSource } from '../../../core/export/export-rows.ts';
import { MemorySpool, type Spool } from '../../../core/export/spool.ts';

/** Everything that one export has made, in memory. */
export interface Exported extends ExportedRows {
  readonly csv: string;
  readonly typed: string;
}

export async function exported(
  source: RowSource,
  options: Partial<ExportOptions> & { readonly withTyped?: boolean } = {},
): Promise<Exported> {
  const csv: Buffer[] = [];
  const typed: Buffer[] = [];
  const result = await exportRows(
    source,
    {
      csv: (pieces) => collect(pieces, csv),
      ...(options.withTyped === false ? {} : { typed: (pieces: AsyncIterable<Uint8Array>) => collect(pieces, typed) }),
    },
    { inlineBytes: 4_096, makeSpool: () => new SplitSpool(), ...options },
  );
  return { ...result, csv: Buffer.concat(csv).toString('utf8'), typed: Buffer.concat(typed).toString('utf8') };
}

export async function collect(pieces: AsyncIterable<Uint8Array>, into: Buffer[]): Promise<void> {
  for await (const piece of pieces) {
    // As a slow upload does: the piece must stay what it is until the next is asked for.
    await Promise.resolve();
    into.push(Buffer.from(piece));
  }
}

/** Gives back what it took in other pieces than it came in, down to single bytes. */
export class SplitSpool extends MemorySpool implements Spool {
  override async *read(): AsyncGenerator<Uint8Array> {
    let size = 1;
    for await (const piece of super.read()) {
      for (let at = 0; at < piece.length; at += size, size = (size % 97) + 1) yield piece.subarray(at, at + size);
    }
  }
}

/** The file as two strict parsers read it; they must agree, and every record must have the header's width. */
export function parsed(csv: string): string[][] {
  const text = csv.startsWith('\ufeff') ? csv.slice(1) : csv;
  const strict = csvParse(text, { record_delimiter: '\r\n', relax_column_count: false, skip_empty_lines: false });
  const papa = Papa.parse<string[]>(text, { newline: '\r\n', delimiter: ',' });
  expect(papa.errors).toEqual([]);
  const withoutEnd = papa.data.at(-1)?.join() === '' ? papa.data.slice(0, -1) : papa.data;
  expect(withoutEnd).toEqual(strict);
  return strict as string[][];
}

export const lines = (typed: string): unknown[] =>
  typed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
