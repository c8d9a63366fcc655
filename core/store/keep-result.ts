import type { ContentBlock, ToolResult } from '../content/block.ts';
import { jsonText } from '../content/json-text.ts';
import { type NormalisedResult, normaliseResult } from '../content/normalise.ts';
import { keptFields, viewOf } from '../tool/view.ts';
import { viewedError } from '../tool/view-error.ts';
import { boundedError } from './bounded-error.ts';
import { commitResult } from './commit-result.ts';
import { contentBytes, textPrefix } from './content-size.ts';
import { keepStored } from './keep-stored.ts';
import type { KeepPorts, KeepRequest, Kept } from './keeping.ts';
import {
  besideBody,
  oversizeError,
  replacedContent,
  storedResult,
  unstoredContent,
  withReference,
} from './kept-content.ts';
import { isOwnPayload } from './own-payload.ts';
import type { ResultIndex } from './result-index.ts';
import { bodyPieces, refusalCode, scanOptions, scanResult, wholeCoverage } from './scan-facts.ts';

/**
 * What becomes of one tool result (DESIGN 5.7): unchanged, stored with a reference, or stored with a preview. Order:
 * body, index, catalogue, grant, answer. Never raises for a storage problem: then the preview says that the rest was
 * not kept. The content answered stays within the tool's budget, data reference included.
 */
export async function keepResult(request: KeepRequest, ports: KeepPorts): Promise<Kept> {
  const budget = Math.min(request.tool.budgetBytes, ports.settings.insert.maxBytes);
  try {
    const kept = await keep(authorised(request), budget, ports);
    if (kept.oversize) {
      ports.telemetry.count('Truncation', 1, {
        tool: request.tool.name,
        reason: kept.stored === null ? 'not_stored' : 'stored',
      });
    }
    return kept;
  } catch (error) {
    // A fault of the hook itself must not cost the flow its answer: what fits goes on, and says that it is a part.
    const code = refusalCode(error, ports.telemetry);
    if (keptFields(request.tool, request.run.roles) !== null) {
      return unchanged('error', [{ text: `${code}: the result could not be reduced to what this run may see` }]);
    }
    return {
      ...unchanged(request.result.status, beginning(request.result, budget, code)),
      warnings: [`hook: ${code}`],
    };
  }
}

/**
 * The result as this run's roles may see it, before anything is stored, shown or counted (DESIGN 7.6): only its one
 * body, reduced to the fields kept; words and attachments beside it cannot be reduced and are left out, and so are the
 * words of a failure. A wrapper reduces in its own function, before it stores; the beginning that it sends along is
 * reduced here once more. What any other tool says that it stored is not looked at.
 */
function authorised(request: KeepRequest): KeepRequest {
  const { tool, run, result } = request;
  const fields = keptFields(tool, run.roles);
  if (fields === null) return request;
  if (result.status === 'error')
    return { ...request, result: { status: 'error', content: viewedError(result, fields) } };
  try {
    const text = Buffer.from(viewOf(normaliseResult(result).body, fields)).toString('utf8');
    return { ...request, result: { status: 'success', content: [{ text }] } };
  } catch (error) {
    // The beginning beside a stored copy is one way to show it, and not the only one.
    if (request.reported === undefined || tool.intake !== 'wrapper') throw error;
    return { ...request, result: { status: 'success', content: [] } };
  }
}

async function keep(request: KeepRequest, budget: number, ports: KeepPorts): Promise<Kept> {
  const { tool, result } = request;
  if (tool.builtin === true) return unchanged(result.status, result.content);
  if (result.status === 'error') return unchanged('error', boundedError(result.content, budget));
  if (await isOwnPayload(request.run, result.content, budget, ports)) {
    return unchanged('success', result.content);
  }
  const body = normaliseResult(result);
  if (request.reported !== undefined && tool.intake === 'wrapper') return keepStored(request, body, budget, ports);
  if (body.body.length <= ports.settings.hook.floorBytes) return unchanged('success', inlineContent(result, body));
  return keepAnswer(request, body, budget, ports);
}

async function keepAnswer(
  request: KeepRequest,
  body: NormalisedResult,
  budget: number,
  ports: KeepPorts,
): Promise<Kept> {
  const { tool } = request;
  const maxBytes = tool.storageMaxBytes ?? ports.settings.storage.maxBytes;
  if (body.body.length > maxBytes) {
    ports.telemetry.count('Truncation', 1, { tool: tool.name, reason: 'storage_limit' });
    return unchanged('error', oversizeError(body.body.length, maxBytes));
  }
  const content = inlineContent(request.result, body);
  const inline = contentBytes(content) <= budget;
  const options = scanOptions(budget, ports.settings, tool);
  const open = () => bodyPieces(body.body);
  const summary = await scanResult(open, inline ? { ...options, previewBytes: body.body.length } : options, request);
  let index: ResultIndex;
  try {
    index = await commitResult(request, summary, ports, { kind: 'answer', body });
  } catch (error) {
    const code = refusalCode(error, ports.telemetry);
    const warnings = [`not stored: ${code}`];
    if (inline) return { ...unchanged('success', content), warnings };
    const part = unstoredContent(summary, body, { budget, code, totalBytes: body.body.length, tool });
    return { status: 'success', content: part, stored: null, oversize: true, warnings };
  }
  const untouched = inline
    ? withReference(content, index, wholeCoverage(summary, tool), { budget, tool }, ports)
    : undefined;
  if (untouched !== undefined) return storedResult(untouched, index, false);
  const preview = inline ? await scanResult(open, options, request) : summary;
  const replaced = replacedContent(preview, body, index, { budget, tool, original: content }, ports);
  return storedResult(replaced, index, true);
}

/** What the model gets of a result that is shown whole: with MCP's structured content, that and not its summary alone. */
function inlineContent(result: ToolResult, body: NormalisedResult): readonly ContentBlock[] {
  if (result.structuredContent === undefined || result.structuredContent === null) return result.content;
  return besideBody(body, [{ text: Buffer.from(body.body).toString('utf8') }]);
}

function unchanged(status: 'success' | 'error', content: readonly ContentBlock[]): Kept {
  return { status, content, stored: null, oversize: false, warnings: [] };
}

function beginning(result: ToolResult, budget: number, code: string): readonly ContentBlock[] {
  if (contentBytes(result.content) <= budget) return result.content;
  const text = result.content
    .map((block) => ('text' in block ? block.text : 'json' in block ? jsonText(block.json) : ''))
    .join('\n');
  const shown = textPrefix(text, Math.max(0, budget - 160));
  const note = `[${Buffer.byteLength(shown, 'utf8')} of ${Buffer.byteLength(text, 'utf8')} bytes shown; the rest was not kept (${code})]`;
  return [{ text: `${shown}\n${note}`.trimStart() }];
}
