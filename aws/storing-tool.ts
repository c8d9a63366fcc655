import type { ToolResult } from '../core/content/block.ts';
import { boundedError } from '../core/store/bounded-error.ts';
import type { ResultStore } from '../core/store/result-store.ts';
import type { ToolContext, ToolDefinition, ToolEvent } from '../core/tool/tool-definition.ts';
import { keptFields } from '../core/tool/view.ts';
import { viewedError } from '../core/tool/view-error.ts';
import { overBudget, overBudgetFailure, sourceOf } from '../core/wrap/tool-source.ts';
import { producedBy } from '../core/wrap/with-results-by-reference.ts';
import { storeFromTool, type WrapperAnswer } from './tool-wrapper.ts';

export interface StoringToolOptions {
  readonly store: Pick<ResultStore, 'putBody'>;
  /** `transport.maxBytes`. */
  readonly transportBytes: number;
  /** `storage.maxBytes`, or less for this tool. */
  readonly maxBytes: number;
  readonly fileName?: string;
  readonly view?: ToolDefinition['view'];
}

/**
 * A tool's own function on the platform: `handler = storingTool(tool, options)`, inside the platform's
 * own `toolHandler` for its log lines. The tool returns a value, a tool result,
 * text, or a stream of any of them; what fits the wire is answered whole, the rest leaves by the store before the
 * function answers, within the time that the platform gave it. The function needs no more than to create bodies.
 */
export function storingTool(
  tool: (input: ToolEvent['input'], context: ToolContext) => unknown,
  options: StoringToolOptions,
): (event: ToolEvent) => Promise<WrapperAnswer> {
  return async ({ input, context }) => {
    const produced = producedBy(await tool(input, context));
    if (produced.kind === 'result') {
      if (produced.result.status === 'error') return boundedFailure(produced.result, context, options);
      // Within the wire, blocks go as blocks; a view is of one body.
      const within = options.view === undefined && (await overBudget(produced, options.transportBytes)) === null;
      if (within) return produced.result;
    }
    const { pieces, contentType } = await sourceOf(produced);
    return storeFromTool(context, () => copies(pieces), { ...options, contentType });
  };
}

/** What a failed call may say to these roles, within the wire; what is that already goes as it is. */
function boundedFailure(result: ToolResult, { roles }: ToolContext, options: StoringToolOptions): WrapperAnswer {
  const fields = options.view === undefined ? null : keptFields({ view: options.view }, roles);
  const said = fields === null ? overBudgetFailure(result, options.transportBytes) : viewedError(result, fields);
  return said === null ? result : { status: 'error', content: boundedError(said, options.transportBytes) };
}

/** Pieces of a walk share one buffer; who collects the beginning needs each in memory of its own. */
async function* copies(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Uint8Array.from(piece);
}
