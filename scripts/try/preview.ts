import { scanStream } from '../../core/scan/result-scanner.ts';
import { defaultSettings } from '../../core/settings.ts';
import { bodyChunks, fileBody } from './file-body.ts';
import { byteOption, commandInput, exitStatus } from './input.ts';

/**
 * `npm run -s try -- preview FILE [--budget BYTES]`: prints one JSON object with what a model would be told of this file as
 * a tool's result. `preview` is the exact text. The default budget is `insert.maxBytes`.
 */
export function run(args: readonly string[]): Promise<number> {
  return exitStatus('preview', async () => {
    const input = commandInput(args, ['budget']);
    const previewBytes = byteOption(input, 'budget', defaultSettings.insert.maxBytes);
    const { profileBytes } = defaultSettings.insert;
    const body = await fileBody(input.file);
    const summary = await scanStream(bodyChunks(input.file, body), { previewBytes, profile: true, profileBytes });
    const { kind, path, bytes, sha256, records, preview, coverage, profile } = summary;
    const { unit, otherLists, parseLoss, fields, upstream, table } = summary;
    const { text, shown, complete, shortened, firstRecordBytes } = preview;
    const asked = { kind, path, bytes, sha256, records, preview: text, coverage, profile };
    const more = { unit, shown, complete, shortened, firstRecordBytes, otherLists, parseLoss, fields, upstream, table };
    const { encoding } = body;
    process.stdout.write(`${JSON.stringify({ ...asked, ...more, encoding })}\n`);
  });
}
