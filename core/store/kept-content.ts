import type { ContentBlock } from '../content/block.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { JsonValue } from '../json.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';
import type { Settings } from '../settings.ts';
import { contentBytes } from './content-size.ts';
import { dataReference } from './data-reference.ts';
import type { ResultBody } from './keep-result.ts';
import type { ResultIndex } from './result-index.ts';

/** Content with the data reference appended; undefined when not even the smallest reference fits beside it. */
export function withReference(
  content: readonly ContentBlock[],
  index: ResultIndex,
  coverage: Coverage,
  budget: number,
  ports: { readonly settings: Settings; readonly baseUrl: string },
  size: 'fitting' | 'smallest' = 'fitting',
): readonly ContentBlock[] | undefined {
  const room = size === 'smallest' ? 0 : budget - contentBytes(content);
  const reference = dataReference(index, {
    baseUrl: ports.baseUrl,
    coverage,
    maxBytes: room,
    profileBytes: ports.settings.insert.profileBytes,
  });
  const whole = [...content, reference];
  return contentBytes(whole) <= budget ? whole : undefined;
}

/** More than may be stored: no part is stored as if it were the whole (DESIGN 5.7). */
export function oversizeError(bytes: number, maxBytes: number): readonly ContentBlock[] {
  return [
    {
      text: `OversizeResult: the result has ${bytes} bytes, at most ${maxBytes} can be stored; nothing was kept. Ask the tool for less.`,
    },
  ];
}

/**
 * The bounded preview of a result that could not be kept: it says so in words and in its coverage (DESIGN 3), and
 * holds no reference, since there is nothing to refer to.
 */
export function unstoredContent(
  summary: ScanSummary,
  body: ResultBody,
  budget: number,
  code: string,
  totalBytes: number | null,
): readonly ContentBlock[] {
  const part = totalBytes !== null && totalBytes > summary.bytes;
  const reasons = new Set([...summary.coverage.reasons, 'not_stored' as const]);
  const coverage: Coverage = {
    ...summary.coverage,
    // Only a part reached us: how many there were in all is not known.
    ...(part ? { total: null, selection_complete: false } : {}),
    next_offset: null,
    input_complete: false,
    reasons: [...reasons],
  };
  const shown = `${summary.preview.shown} ${summary.unit}`;
  const of = part ? `of a result of ${totalBytes} bytes` : `of ${summary.records} ${summary.unit}`;
  const note = `[${shown} ${of} shown; the rest was not kept (${code}) and cannot be read later]`;
  const preview = summary.preview.text.trim() === '' ? [] : [{ text: summary.preview.text }];
  const tail: ContentBlock[] = [{ text: note }, { json: { coverage: coverage as unknown as JsonValue } }];
  const content = [...preview, ...body.rest, ...tail];
  return contentBytes(content) <= budget ? content : tail;
}
