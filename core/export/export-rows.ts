import { ClaimcheckError } from '../errors.ts';
import { InlinePrefix } from '../preview/inline-prefix.ts';
import type { Profile } from '../profile/profile.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import { BytePipe } from './byte-pipe.ts';
import { ByteWriter } from './byte-writer.ts';
import { CsvFile, pieceBytes } from './csv-file.ts';
import { CsvRows } from './csv-rows.ts';
import { exportWarnings } from './list-export.ts';
import { rowOf } from './row-value.ts';
import type { Spool } from './spool.ts';
import { TypedRows } from './typed-rows.ts';

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

/** The uploads of one export; each resolves when its store has confirmed, and rejects when nothing was kept. */
export interface ExportUploads {
  csv(pieces: AsyncIterable<Uint8Array>): Promise<unknown>;
  /** Absent: no typed copy is made (a file on the command line). */
  typed?(pieces: AsyncIterable<Uint8Array>): Promise<unknown>;
}

export interface ExportOptions {
  /** Bytes of the inline rows as JSON text, brackets included. */
  readonly inlineBytes: number;
  /** Default true. */
  readonly byteOrderMark?: boolean;
  /** Bytes of the profile as JSON; absent: no profile is computed here (whoever stores the typed copy scans it). */
  readonly profileBytes?: number;
  readonly makeSpool: () => Spool;
}

export interface ExportedRows {
  /** All files are confirmed; when false nothing may point at any of them. */
  readonly kept: boolean;
  /** Why nothing was kept. */
  readonly failure: unknown;
  readonly total: number | null;
  /** Rows read; all of them when `kept`. */
  readonly rows: number;
  readonly inlineRows: number;
  /** JSON array of the inline rows. */
  readonly inlineJson: string;
  readonly columns: readonly string[];
  /** Cells longer than a spreadsheet shows. */
  readonly longCells: number;
  readonly warnings: readonly string[];
  readonly profile: Profile | null;
}

/**
 * One pass over the rows: the CSV for people, the typed copy (NDJSON), the inline prefix, the profile and the count.
 * The CSV ends only after the typed copy is confirmed, so that neither stands without the other. When an upload fails
 * the other is given up too; reading goes on only until the inline part is full, which then comes with `kept: false`.
 * A source that fails makes both uploads abort, and its error is thrown.
 */
export async function exportRows(
  source: RowSource,
  uploads: ExportUploads,
  options: ExportOptions,
): Promise<ExportedRows> {
  const pass = new ExportPass(source, uploads, options);
  try {
    await pass.read();
    return await pass.finish();
  } catch (error) {
    await pass.abandon(error);
    throw error;
  } finally {
    await pass.dispose();
  }
}

class ExportPass {
  readonly #source: RowSource;
  readonly #options: ExportOptions;
  readonly #rows: CsvRows;
  readonly #typedRows: TypedRows;
  readonly #typed = new ByteWriter();
  readonly #spool: Spool | null;
  readonly #csvPipe = new BytePipe();
  readonly #typedPipe: BytePipe | null;
  readonly #csv: CsvFile;
  readonly #profile: ProfileBuilder | null;
  readonly #inline: InlinePrefix;
  readonly #csvDone: Promise<void>;
  readonly #typedDone: Promise<void>;
  #failure: { readonly error: unknown } | null = null;
  #count = 0;
  #total: number | null = null;

  constructor(source: RowSource, uploads: ExportUploads, options: ExportOptions) {
    this.#source = source;
    this.#options = options;
    this.#rows = new CsvRows({ columns: source.columns, without: source.totalColumn });
    this.#typedRows = new TypedRows(source.totalColumn);
    this.#spool = source.columns === undefined ? options.makeSpool() : null;
    this.#csv = new CsvFile(this.#rows, this.#csvPipe, {
      byteOrderMark: options.byteOrderMark ?? true,
      spool: this.#spool,
    });
    this.#profile = options.profileBytes === undefined ? null : new ProfileBuilder({ format: 'json' });
    this.#inline = new InlinePrefix(options.inlineBytes);
    const { typed } = uploads;
    this.#typedPipe = typed === undefined ? null : new BytePipe();
    this.#csvDone = this.#watched(this.#csvPipe, (pieces) => uploads.csv(pieces));
    this.#typedDone =
      this.#typedPipe === null
        ? Promise.resolve()
        : this.#watched(this.#typedPipe, async (pieces) => typed?.call(uploads, pieces));
  }

  async read(): Promise<void> {
    const { rows, batched } = this.#source;
    for await (const item of rows) {
      for (const row of batched === true ? (item as readonly unknown[]) : [item]) {
        const waiting = this.#take(row);
        if (waiting !== undefined) await waiting;
        // Nothing is kept any more: what is still wanted is the inline part.
        if (this.#failure !== null && this.#inline.stopped) return;
      }
    }
  }

  async finish(): Promise<ExportedRows> {
    this.#total ??= (await this.#source.total?.()) ?? null;
    await this.#hand();
    if (this.#failure === null) {
      this.#typedPipe?.end();
      await this.#csv.finish(async () => {
        await this.#typedDone;
        return this.#failure === null;
      });
    }
    await Promise.all([this.#csvDone, this.#typedDone]);
    const { profileBytes } = this.#options;
    return {
      kept: this.#failure === null,
      failure: this.#failure?.error,
      total: this.#total,
      rows: this.#count,
      inlineRows: this.#inline.rows,
      inlineJson: this.#inline.text(),
      columns: this.#rows.columns,
      longCells: this.#rows.longCells,
      warnings: exportWarnings(this.#count, this.#rows.longCells),
      profile: this.#profile?.build(profileBytes) ?? null,
    };
  }

  /** Both uploads see the error and give up their parts. */
  async abandon(error: unknown): Promise<void> {
    this.#csvPipe.fail(error);
    this.#typedPipe?.fail(error);
    await Promise.all([this.#csvDone, this.#typedDone]);
  }

  async dispose(): Promise<void> {
    await this.#spool?.dispose();
  }

  #take(item: unknown): Promise<void> | undefined {
    const { totalColumn } = this.#source;
    if (this.#count === 0 && totalColumn !== undefined) this.#total = toldTotal(item, totalColumn);
    this.#count += 1;
    const row = rowOf(item);
    const csv = this.#csv.add(row);
    if (this.#typedPipe === null && this.#profile === null && this.#inline.stopped) return csv;
    const out = this.#typed;
    const start = out.at;
    this.#typedRows.write(row, out);
    if (!this.#inline.stopped) this.#inline.offer(out.bytes.toString('utf8', start, out.at - 1));
    if (out.at >= pieceBytes) return csv === undefined ? this.#hand() : csv.then(() => this.#hand());
    return csv;
  }

  async #hand(): Promise<void> {
    const out = this.#typed;
    this.#profile?.lines(out.bytes, 0, out.at);
    await this.#typedPipe?.write(out.bytes.subarray(0, out.at));
    out.reset();
  }

  /** An upload whose failure ends the other one as well: neither may be confirmed beside one that is missing. */
  async #watched(pipe: BytePipe, upload: (pieces: AsyncIterable<Uint8Array>) => Promise<unknown>): Promise<void> {
    try {
      // One walk: what was handed out once cannot be sent again.
      await upload(pipe[Symbol.asyncIterator]());
      if (!pipe.drained) throw new ClaimcheckError('StorageUnavailable', 'export: an upload ended before its file did');
    } catch (error) {
      this.#failure ??= { error };
      for (const each of [this.#csvPipe, this.#typedPipe]) {
        each?.break();
        each?.fail(error);
      }
    }
  }
}

/** Databases tell counts as text (a 64-bit integer), drivers sometimes as a number. */
export function toldTotal(row: unknown, column: string): number {
  const value = (row as Readonly<Record<string, unknown>> | null)?.[column];
  const count =
    typeof value === 'bigint' || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new ClaimcheckError('InvalidInput', `${column}: expected the number of matching rows in the first row`);
  }
  return count;
}
