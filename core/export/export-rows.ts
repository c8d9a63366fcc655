import { ClaimcheckError } from '../errors.ts';
import { InlinePrefix } from '../preview/inline-prefix.ts';
import type { Profile } from '../profile/profile.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import { BytePipe } from './byte-pipe.ts';
import { CsvFile } from './csv-file.ts';
import { exportWarnings } from './list-export.ts';
import { RowEncoder } from './row-encoder.ts';
import type { Spool } from './spool.ts';
import { TextPieces } from './text-pieces.ts';

/** A list on its way. */
export interface RowSource {
  /** One item a row; with `batched`, one item an array of rows, as a cursor reads them (faster: one wait a batch). */
  readonly rows: AsyncIterable<unknown> | Iterable<unknown>;
  readonly batched?: boolean;
  /** Column whose value is the true total, e.g. of `COUNT(*) OVER ()`; read off the first row, kept in no row. */
  readonly totalColumn?: string;
  /** Asked when no row told the total; null when the source does not know it. */
  readonly total?: () => Promise<number | null> | number | null;
  /** All columns, when the source knows them: rows then stream out without waiting in a spool. */
  readonly columns?: readonly string[];
}

/** The two uploads of one export; each resolves when its store has confirmed, and rejects when nothing was kept. */
export interface ExportUploads {
  csv(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  typed(pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface ExportOptions {
  /** Bytes of the inline rows as JSON text, brackets included. */
  readonly inlineBytes: number;
  readonly byteOrderMark?: boolean;
  /** Bytes of the profile as JSON; absent: no profile is computed here (whoever stores the typed copy scans it). */
  readonly profileBytes?: number;
  readonly makeSpool: () => Spool;
}

export interface ExportedRows {
  /** Both files are confirmed; when false nothing may point at either. */
  readonly kept: boolean;
  /** Why nothing was kept. */
  readonly failure: unknown;
  readonly total: number | null;
  readonly rows: number;
  readonly inlineRows: number;
  /** JSON array of the inline rows. */
  readonly inlineJson: string;
  readonly columns: readonly string[];
  readonly warnings: readonly string[];
  readonly profile: Profile | null;
}

/**
 * One pass over the rows: the CSV for people, the typed copy (NDJSON), the inline prefix, the profile and the count.
 * A failed upload loses nothing that was read: the other goes no further, and the inline part comes with `kept: false`.
 * A source that fails makes both uploads abort and its error is thrown.
 */
export async function exportRows(
  source: RowSource,
  uploads: ExportUploads,
  options: ExportOptions,
): Promise<ExportedRows> {
  const encoder = new RowEncoder({
    ...(source.columns === undefined ? {} : { columns: source.columns }),
    without: source.totalColumn,
  });
  const spool = source.columns === undefined ? options.makeSpool() : null;
  const csvPipe = new BytePipe();
  const typedPipe = new BytePipe();
  const csv = new CsvFile(encoder, csvPipe, { byteOrderMark: options.byteOrderMark ?? true, spool });
  const profile = options.profileBytes === undefined ? null : new ProfileBuilder({ format: 'json' });
  const typed = new TextPieces((piece) => {
    if (profile !== null) profileLines(profile, piece);
    return typedPipe.write(piece);
  });
  const inline = new InlinePrefix(options.inlineBytes);
  let failure: unknown;
  const settled = [uploads.csv(csvPipe), uploads.typed(typedPipe)].map((upload) =>
    upload.catch((error: unknown) => {
      failure ??= error;
      csvPipe.break();
      typedPipe.break();
      // The upload that still runs must not be confirmed beside one that is missing.
      csvPipe.fail(error);
      typedPipe.fail(error);
    }),
  );
  let rows = 0;
  let total: number | null = null;
  const take = (row: unknown): Promise<void> | undefined => {
    if (rows === 0 && source.totalColumn !== undefined) total = toldTotal(row, source.totalColumn);
    rows += 1;
    encoder.encode(row);
    if (!inline.stopped) inline.offer(encoder.json);
    const first = csv.add();
    const second = typed.add(`${encoder.json}\n`);
    return first === undefined ? second : second === undefined ? first : Promise.all([first, second]).then(() => {});
  };
  try {
    for await (const item of source.rows) {
      for (const row of source.batched === true ? (item as readonly unknown[]) : [item]) {
        const waiting = take(row);
        if (waiting !== undefined) await waiting;
      }
    }
    total ??= (await source.total?.()) ?? null;
    await typed.flush();
    typedPipe.end();
    await csv.finish();
  } catch (error) {
    csvPipe.fail(error);
    typedPipe.fail(error);
    await Promise.all(settled);
    throw error;
  } finally {
    await spool?.dispose();
  }
  await Promise.all(settled);
  return {
    kept: failure === undefined,
    failure,
    total,
    rows,
    inlineRows: inline.rows,
    inlineJson: inline.text(),
    columns: encoder.columns,
    warnings: exportWarnings(rows, encoder.longCells),
    profile: profile?.build(options.profileBytes) ?? null,
  };
}

/** JSON text holds no raw line end, so every LF ends a row. A piece always ends with a whole row. */
function profileLines(profile: ProfileBuilder, piece: Uint8Array): void {
  let start = 0;
  for (;;) {
    const end = piece.indexOf(0x0a, start);
    if (end < 0) return;
    profile.record(piece, start, end);
    start = end + 1;
  }
}

/** Databases tell counts as text (a 64-bit integer), drivers sometimes as a number. */
function toldTotal(row: unknown, column: string): number {
  const value = (row as Readonly<Record<string, unknown>> | null)?.[column];
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count === 'bigint') return Number(count);
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new ClaimcheckError('InvalidInput', `${column}: expected the number of matching rows in the first row`);
  }
  return count;
}
