import type { JsonValue } from '../json.ts';
import { InlinePrefix } from '../preview/inline-prefix.ts';
import type { Profile } from '../profile/profile.ts';

/** What a list tool answers (DESIGN 5.6). Property order is the order on the wire. */
export interface ListExport {
  /** The CSV for people; null when nothing was kept. */
  readonly download_url: string | null;
  /** The typed copy for reads and analysis; null when nothing was kept. */
  readonly ref: string | null;
  /** What the source says it has; null when it does not say, never the number exported. */
  readonly total_matching: number | null;
  readonly rows_exported: number;
  readonly rows_inline: number;
  /** The file is short of the total; null when the total is not known. */
  readonly truncated: boolean | null;
  /** The preview is short of the file. */
  readonly inline_truncated: boolean;
  readonly available_until: string | null;
  /** Absent when there is nothing to warn of. */
  readonly warnings?: readonly string[];
  readonly profile: Profile | null;
  /** The first rows, whole, in order; stops at the first that does not fit. */
  readonly data: readonly JsonValue[];
}

export type ListFacts = Omit<ListExport, 'data' | 'rows_inline' | 'inline_truncated' | 'truncated' | 'warnings'> & {
  readonly warnings: readonly string[];
  /** Rows that there are to show; more than exported only when nothing was kept. */
  readonly rows: number;
};

/**
 * The payload as JSON text within `maxBytes`: whole rows from the first on, as many as fit beside the facts. Rows come
 * as JSON text and stand in it with their own bytes, and what is counted is the text that is sent.
 */
export function listExportText(
  facts: ListFacts,
  rows: Iterable<string>,
  maxBytes: number,
): { readonly text: string; readonly rowsInline: number } {
  // The widest numbers that may stand there, so that the facts never grow past what was counted.
  const widest = payloadHead(facts, facts.rows, false);
  const inline = new InlinePrefix(maxBytes - Buffer.byteLength(widest, 'utf8') - 1);
  for (const row of rows) if (!inline.offer(row)) break;
  return { text: `${payloadHead(facts, inline.rows)}${inline.text()}}`, rowsInline: inline.rows };
}

function payloadHead(facts: ListFacts, inline: number, short = inline < facts.rows): string {
  const { warnings, rows: _rows, profile, available_until, ...first } = facts;
  const { total_matching: total, rows_exported } = first;
  const payload: Omit<ListExport, 'data'> = {
    ...first,
    rows_inline: inline,
    truncated: total === null ? null : rows_exported < total,
    inline_truncated: short,
    available_until,
    ...(warnings.length === 0 ? {} : { warnings }),
    profile,
  };
  return `${JSON.stringify(payload).slice(0, -1)},"data":`;
}

/** Excel's rows on one sheet, the header among them (DESIGN 12). */
export const spreadsheetRows = 1_048_576;

export function exportWarnings(rows: number, longCells: number): readonly string[] {
  const warnings: string[] = [];
  if (longCells > 0) {
    warnings.push(
      `${longCells} ${longCells === 1 ? 'cell is' : 'cells are'} longer than the 32,767 characters that a spreadsheet shows; the file holds them whole`,
    );
  }
  if (rows + 1 > spreadsheetRows) {
    warnings.push(
      `${rows} rows and a header are more than the 1,048,576 rows that a spreadsheet opens; the file holds them all`,
    );
  }
  return warnings;
}
