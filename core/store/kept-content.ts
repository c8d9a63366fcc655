import type { ContentBlock } from '../content/block.ts';
import type { NormalisedResult } from '../content/normalise.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { JsonValue } from '../json.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import { contentBytes } from './content-size.ts';
import { dataReference } from './data-reference.ts';
import type { KeepPorts, Kept } from './keeping.ts';
import type { ResultIndex } from './result-index.ts';
import { profileRoom, type ScannedResult, shownCoverage } from './scan-facts.ts';

type Ports = Pick<KeepPorts, 'settings' | 'baseUrl' | 'telemetry'>;

export function storedResult(content: readonly ContentBlock[], index: ResultIndex, oversize: boolean): Kept {
  const { ref, bytes, sha256, records, unit, availableUntil } = index;
  return {
    status: 'success',
    content,
    stored: { ref, bytes, sha256, records, unit, availableUntil },
    oversize,
    warnings: index.leftOut.map((what) => `left out of the stored copy: ${what}`),
  };
}

/** Blocks in the place of the body: attachments stay where they were, and short words beside the data are not lost. */
export function besideBody(body: NormalisedResult, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const words = body.acknowledgement === null ? [] : [{ text: body.acknowledgement }];
  return [...body.kept.slice(0, body.keptBefore), ...blocks, ...words, ...body.kept.slice(body.keptBefore)];
}

/** Content with the data reference appended; undefined when not even the smallest reference fits beside it. */
export function withReference(
  content: readonly ContentBlock[],
  index: ResultIndex,
  coverage: Coverage,
  { budget, tool }: { readonly budget: number; readonly tool: ToolDefinition },
  ports: Ports,
): readonly ContentBlock[] | undefined {
  const whole = [
    ...content,
    referenceBlock(index, coverage, { maxBytes: budget - contentBytes(content), tool }, ports),
  ];
  return contentBytes(whole) <= budget ? whole : undefined;
}

/**
 * The preview in the place of the result, then what stays beside it, then the reference. Without room for a preview
 * the reference stands alone, as small as it gets; and where even that is longer than the original (case H026), the
 * original stays.
 */
export function replacedContent(
  summary: ScannedResult,
  body: NormalisedResult,
  index: ResultIndex,
  place: { readonly budget: number; readonly tool: ToolDefinition; readonly original?: readonly ContentBlock[] },
  ports: Ports,
): readonly ContentBlock[] {
  const { tool, original } = place;
  const beside =
    tool.summary === 'profile'
      ? { preview: [], coverage: unshownCoverage(summary, tool) }
      : { preview: previewBlock(summary), coverage: shownCoverage(summary, tool, 'stored') };
  const content =
    withReference(besideBody(body, beside.preview), index, beside.coverage, place, ports) ??
    smallest(summary, body, index, tool, ports);
  if (original !== undefined && contentBytes(content) >= contentBytes(original)) return original;
  ports.telemetry.count('ContextBytesSaved', Math.max(0, index.bytes - contentBytes(content)), { tool: tool.name });
  return content;
}

function smallest(
  summary: ScannedResult,
  body: NormalisedResult,
  index: ResultIndex,
  tool: ToolDefinition,
  ports: Ports,
): readonly ContentBlock[] {
  return [...body.kept, referenceBlock(index, unshownCoverage(summary, tool), { maxBytes: 0, tool }, ports)];
}

function unshownCoverage(summary: ScannedResult, tool: ToolDefinition): Coverage {
  return shownCoverage(summary, tool, 'stored', { shown: 0, complete: false, shortened: false });
}

function referenceBlock(
  index: ResultIndex,
  coverage: Coverage,
  { maxBytes, tool }: { readonly maxBytes: number; readonly tool: ToolDefinition },
  ports: Ports,
): ContentBlock {
  const profileBytes = profileRoom(tool, ports.settings);
  return dataReference(index, { baseUrl: ports.baseUrl, coverage, maxBytes, profileBytes });
}

function previewBlock(summary: ScannedResult): readonly ContentBlock[] {
  return summary.preview.text.trim() === '' ? [] : [{ text: summary.preview.text }];
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
 * holds no reference, since there is nothing to refer to. `totalBytes` is null when nobody knows how much there was.
 */
export function unstoredContent(
  summary: ScannedResult,
  body: NormalisedResult,
  facts: {
    readonly budget: number;
    readonly code: string;
    readonly totalBytes: number | null;
    readonly tool: ToolDefinition;
  },
): readonly ContentBlock[] {
  const { totalBytes, tool } = facts;
  const computed = shownCoverage(summary, tool, 'not_stored');
  // Only a part reached the platform: how many there were in all is not known.
  const part = totalBytes === null || totalBytes > summary.bytes;
  const coverage: Coverage = {
    ...computed,
    ...(part ? { requested: null, total: null, selection_complete: false } : {}),
    // Nothing can be read on.
    next_offset: null,
    input_complete: tool.population === 'open' ? null : false,
    reasons: [...new Set([...computed.reasons, 'not_stored' as const])],
  };
  const whole = part ? `a result of ${totalBytes ?? 'unknown many'} bytes` : `${summary.records} ${summary.unit}`;
  const note = `[${summary.preview.shown} ${summary.unit} of ${whole} shown; the rest was not kept (${facts.code}) and cannot be read later]`;
  const tail: ContentBlock[] = [{ text: note }, { json: { coverage: coverage as unknown as JsonValue } }];
  const content = [...besideBody(body, previewBlock(summary)), ...tail];
  return contentBytes(content) <= facts.budget ? content : tail;
}
