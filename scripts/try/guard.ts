import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ClaimcheckError } from '../../core/errors.ts';
import { estimateRequest } from '../../core/guard/estimate.ts';
import { Guard, tokenLimit } from '../../core/guard/guard.ts';
import type { Replacement } from '../../core/guard/replacements.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { defaultSettings } from '../../core/settings.ts';
import { silentTelemetry, systemClock } from '../../core/telemetry/telemetry.ts';
import { bytesAsBase64, readConverse } from './converse-request.ts';

const usage = 'npm run -s try -- guard REQUEST.json --window TOKENS [--share 0.85]';

/**
 * What the guard would do with a Converse request, or with just its list of messages: prints
 * `{estimate, limit, replaced: [{toolUseId, bytes}], request}`. `estimate` is of the request as given, in tokens;
 * `limit` is the share of the window (less `maxTokens`, where the request has one) at which the guard acts; `request` is
 * what would be sent. Nothing is stored: references are made of the results' digests. Exit status 3 where nothing can
 * be shrunk, 2 for bad input.
 */
export async function run(args: readonly string[]): Promise<number> {
  const parsed = await parse(args);
  if (typeof parsed === 'string') {
    process.stderr.write(`try guard: ${parsed}\n${usage}\n`);
    return 2;
  }
  const { request, restore, windowTokens, share } = parsed;
  const replaced: Replacement[] = [];
  const guard = new Guard({
    settings: {
      guard: {
        ...defaultSettings.guard,
        triggerShare: share,
        lowShare: Math.min(share, defaultSettings.guard.lowShare),
      },
    },
    replacements: {
      all: async () => [],
      putIfAbsent: async (_runId, replacement) => {
        replaced.push(replacement);
        return replacement;
      },
    },
    clock: systemClock,
    telemetry: silentTelemetry,
  });
  const availableUntil = new Date(Date.now() + defaultSettings.storage.retentionDays * 86_400_000).toISOString();
  try {
    const { estimate, fitted } = await underGuard(guard, request, windowTokens, availableUntil);
    const limit = Math.floor(tokenLimit(windowTokens, request.maxTokens) * share);
    if (estimate > limit && replaced.length === 0) {
      process.stderr.write(
        `try guard: about ${estimate} tokens, the guard acts at ${limit}, and nothing can be shrunk\n`,
      );
      return 3;
    }
    const answer = {
      estimate,
      limit,
      replaced: replaced.map(({ toolUseId, bytes }) => ({ toolUseId, bytes })),
      request: restore(fitted),
    };
    process.stdout.write(`${JSON.stringify(answer, bytesAsBase64)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) throw error;
    process.stderr.write(`try guard: ${error.code}: ${error.message}\n`);
    return 3;
  }
}

async function underGuard(guard: Guard, request: ModelRequest, windowTokens: number, availableUntil: string) {
  const { request: fitted } = await guard.fit(request, {
    runId: 'try',
    turn: 1,
    windowTokens,
    putAway: {
      isSelection: () => false,
      keep: async ({ toolUseId, status, bytes, shown, content }) =>
        status === 'error'
          ? { kind: 'error', bytes }
          : { kind: 'stored', ref: exampleReference(toolUseId, content), bytes, availableUntil, shown },
    },
  });
  return { estimate: estimateRequest(request), fitted };
}

/** The same result has the same example reference at every try. */
function exampleReference(toolUseId: string, content: unknown): string {
  const digest = createHash('sha256').update(toolUseId).update(JSON.stringify(content)).digest('hex');
  return `${digest.slice(0, 32)}/${digest.slice(32)}`;
}

interface Parsed {
  readonly request: ModelRequest;
  readonly restore: (fitted: ModelRequest) => unknown;
  readonly windowTokens: number;
  readonly share: number;
}

async function parse(args: readonly string[]): Promise<Parsed | string> {
  let values: { readonly window?: string; readonly share?: string };
  let positionals: readonly string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { window: { type: 'string' }, share: { type: 'string' } },
    }));
  } catch (error) {
    return (error as Error).message;
  }
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) return `expected one file, found ${positionals.length}`;
  const windowTokens = Number(values.window);
  if (values.window === undefined || !Number.isInteger(windowTokens) || windowTokens < 1) {
    return `--window: expected a whole number of tokens, found ${values.window ?? 'nothing'}`;
  }
  const share = values.share === undefined ? defaultSettings.guard.triggerShare : Number(values.share);
  if (!(share > 0 && share <= 1)) return `--share: expected a number over 0 and up to 1, found ${values.share}`;
  let value: unknown;
  try {
    value = JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    return `${path}: ${error instanceof SyntaxError ? 'is not JSON' : (error as Error).message}`;
  }
  const read = readConverse(value);
  return typeof read === 'string' ? `${path}: ${read}` : { ...read, windowTokens, share };
}
