import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { previewCoverage } from '../../core/coverage/compute.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { readSelection } from '../../core/read/read-result.ts';
import { parseSelection } from '../../core/read/selection.ts';
import { type BodySource, VerifiedBody } from '../../core/read/verified-body.ts';
import { scanStream } from '../../core/scan/result-scanner.ts';
import { defaultSettings } from '../../core/settings.ts';
import { type ResultIndex, resultFormat } from '../../core/store/result-index.ts';
import { bodyChunks, type FileBody, fileBody } from './file-body.ts';

const usage = 'read FILE [--fields a,b] [--offset N] [--limit N] [--ids a,b] [--lines A-B] [--bytes A-B] [--part N]';

/**
 * `npm run -s try -- read FILE …`: what a read of this file as a stored result would answer, `{data, coverage}`.
 * Wrong arguments, an unknown field or a file that cannot be read: the reason on standard error, exit 2.
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const { file, input } = parse(args);
    const selection = parseSelection(input);
    const descriptor = openSync(file, 'r');
    try {
      const stored = await storedBody(file, descriptor);
      const index = await indexOf(bodyChunks(file, stored));
      const body = new VerifiedBody(
        index,
        source(file, descriptor, stored),
        () => new ClaimcheckError('NotFound', 'file: gone'),
      );
      const result = { index, body, version: null };
      const answer = await readSelection(result, selection, defaultSettings, { idField: 'id', left: null });
      // Not re-serialised: numbers of any length keep their digits.
      process.stdout.write(`${answer.text}\n`);
    } finally {
      closeSync(descriptor);
    }
    return 0;
  } catch (error) {
    if (error instanceof ClaimcheckError) process.stderr.write(`read: ${error.message}\n`);
    else if (error instanceof Error && 'code' in error) process.stderr.write(`read: ${error.message}\n`);
    else throw error;
    return 2;
  }
}

function parse(args: readonly string[]): { file: string; input: Record<string, unknown> } {
  const files: string[] = [];
  const input: Record<string, unknown> = {};
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (!arg.startsWith('--')) {
      files.push(arg);
      continue;
    }
    const [name = '', inline] = splitOnce(arg.slice(2));
    const value = inline ?? args[++at];
    if (value === undefined) throw wrong(`--${name} needs a value`);
    if (name === 'fields' || name === 'ids') input[name] = value.split(',').map((item) => item.trim());
    else if (name === 'lines' || name === 'bytes') input[name] = value;
    else if (name === 'offset' || name === 'limit' || name === 'part') input[name] = number(name, value);
    else throw wrong(`unknown option --${name}; usage: ${usage}`);
  }
  const [file, ...more] = files;
  if (file === undefined || more.length > 0) throw wrong(`expected one FILE; usage: ${usage}`);
  return { file, input };
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Numbers in any other spelling reach the check of the core as what they are, and are refused there. */
function number(name: string, value: string): number | string {
  if (value.trim() === '') throw wrong(`--${name} needs a number`);
  const parsed = Number(value);
  return Number.isNaN(parsed) ? value : parsed;
}

async function storedBody(file: string, descriptor: number): Promise<FileBody> {
  if (!fstatSync(descriptor).isFile()) throw wrong(`${file}: not a file`);
  return fileBody(file);
}

async function indexOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ResultIndex> {
  const { preview: _preview, ...summary } = await scanStream(chunks, { previewBytes: 2000, profile: true });
  return {
    ...summary,
    format: resultFormat,
    ref: '',
    tool: 'file',
    toolVersion: '1',
    runId: '',
    turn: 0,
    index: 0,
    etag: '',
    population: 'finite',
    coverage: previewCoverage({ unit: summary.unit, total: summary.records, shown: summary.records, complete: true }),
    acquiredAt: '',
    availableUntil: '',
    gates: [],
    derivedFrom: [],
    leftOut: [],
  };
}

function source(file: string, descriptor: number, stored: FileBody): BodySource {
  const { bytes: held } = stored;
  return {
    range: async (start, end) => {
      if (held !== null) return held.subarray(start, end);
      const bytes = Buffer.alloc(end - start);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, end - start, start));
    },
    whole: async () => {
      const chunks = bodyChunks(file, stored);
      return (async function* () {
        yield* chunks;
      })();
    },
  };
}

function wrong(message: string): ClaimcheckError {
  return new ClaimcheckError('InvalidInput', message);
}
