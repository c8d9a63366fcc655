import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { FileSpool } from '../../aws/export-spool.ts';
import { exportRows } from '../../core/export/export-rows.ts';
import { jsonRows } from '../../core/export/json-rows.ts';
import { listExportText } from '../../core/export/list-export.ts';
import { scanStream } from '../../core/scan/result-scanner.ts';
import type { ScanSummary } from '../../core/scan/scan-summary.ts';
import { defaultSettings } from '../../core/settings.ts';
import { elements } from '../../core/view/json-members.ts';
import { byteOption, commandInput, exitStatus, fileChunks, wrongInput } from './input.ts';

/**
 * `npm run -s try -- csv FILE [--budget BYTES] --out OUT.csv`: writes the CSV of the file's list of rows (JSON or
 * NDJSON) and prints the payload of DESIGN 5.6 in one line of at most `--budget` bytes (default `insert.maxBytes`).
 * Nothing is stored: `download_url`, `ref` and `available_until` are null. A file that names no total has `total_matching` null, and `truncated` with it.
 */
export function run(args: readonly string[]): Promise<number> {
  return exitStatus('csv', async () => {
    const input = commandInput(args, ['budget', 'out']);
    const { maxBytes, profileBytes } = defaultSettings.insert;
    const budget = byteOption(input, 'budget', maxBytes);
    const out = input.options.get('out');
    if (out === undefined) throw wrongInput('--out', 'expected the path of the CSV to write');
    const found = await scanStream(fileChunks(input.file), { previewBytes: 0 });
    if (found.kind !== 'json' && found.kind !== 'ndjson') {
      throw wrongInput('FILE', `expected a JSON or NDJSON list, found ${found.kind}`);
    }
    const rows = jsonRows(fileChunks(input.file), found);
    const exported = await exportRows(
      { rows, batched: true, total: () => found.upstream?.total ?? null },
      { csv: (pieces) => writeFile(out, pieces) },
      {
        inlineBytes: budget,
        profileBytes: Math.min(profileBytes, Math.floor(budget / 3)),
        makeSpool: () => new FileSpool(),
      },
    );
    if (!exported.kept) throw exported.failure;
    const facts = {
      download_url: null,
      ref: null,
      total_matching: exported.total,
      rows_exported: exported.rows,
      available_until: null,
      warnings: [...exported.warnings, ...lossOf(found)],
      rows: exported.rows,
    };
    const inline = () => elements(exported.inlineJson.slice(1));
    const whole = listExportText({ ...facts, profile: exported.profile }, inline(), budget).text;
    const fits = Buffer.byteLength(whole, 'utf8') <= budget;
    process.stdout.write(`${fits ? whole : listExportText({ ...facts, profile: null }, inline(), budget).text}\n`);
  });
}

/** What could not be read of the file is said, not left out in silence. */
function lossOf({ parseLoss }: ScanSummary): readonly string[] {
  return parseLoss === null ? [] : [`of the input: ${parseLoss.note}`];
}

/** Written beside and moved into place: a CSV that stands is whole. */
async function writeFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  const file = openSync(draft, 'w');
  try {
    for await (const piece of pieces) {
      for (let from = 0; from < piece.length; ) from += writeSync(file, piece, from);
    }
    closeSync(file);
    renameSync(draft, path);
  } catch (error) {
    try {
      closeSync(file);
    } catch {
      // Closed already.
    }
    rmSync(draft, { force: true });
    throw error;
  }
}
