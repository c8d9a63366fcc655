import type { JsonValue } from '../json.ts';
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
  readonly warnings?: readonly string[];
  readonly profile: Profile | null;
  /** The first rows, whole, in order; stops at the first that does not fit. */
  readonly data: readonly JsonValue[];
}

/** The payload as JSON text around rows that are JSON text already, so that their digits and their bytes stay. */
export function listExportText(payload: Omit<ListExport, 'data'>, inlineJson: string): string {
  const head = JSON.stringify(payload);
  return `${head.slice(0, -1)},"data":${inlineJson}}`;
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
