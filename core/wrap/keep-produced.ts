import type { ToolResult } from '../content/block.ts';
import { ResultScanner } from '../scan/result-scanner.ts';
import type { Settings } from '../settings.ts';
import { boundedError } from '../store/bounded-error.ts';
import type { KeepPorts, KeepRequest, Kept } from '../store/keeping.ts';
import { unstoredContent } from '../store/kept-content.ts';
import { refusalCode, scanOptions } from '../store/scan-facts.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import { applyView, keptFields } from '../tool/view.ts';
import { viewedError } from '../tool/view-error.ts';
import { keepSource } from './keep-source.ts';
import { ScannedWalk } from './scanned-walk.ts';
import {
  countedBlocks,
  overBudget,
  overBudgetFailure,
  type Produced,
  sourceOf,
  type ToolSource,
} from './tool-source.ts';
import type { Turns } from './turns.ts';
import { closedStore } from './upload-pool.ts';

/**
 * What becomes of a tool's result in a process: `null`, it is within the budget and stays the very object it is; or it
 * is bounded; only then `request` is made. Failed calls are bounded too, without a reference. With a view nothing passes that the roles may not see.
 */
export async function keepProduced(
  { tool, run }: Pick<KeepRequest, 'tool' | 'run'>,
  request: () => Omit<KeepRequest, 'result'>,
  produced: Produced,
  ports: KeepPorts & { readonly turns: Turns },
): Promise<Kept | null> {
  const budget = budgetOf(tool, ports.settings);
  const fields = keptFields(tool, run.roles);
  if (produced.kind === 'result' && produced.result.status === 'error') return failed(produced.result, fields, budget);
  if (fields !== null) {
    const returned = asReturned(produced);
    return ports.turns.run((late) =>
      keepViewed(request, returned, { budget, fields }, late ? withoutPlace(ports) : ports),
    );
  }
  // A stream holds its beginning from the first look on; a value holds nothing more until its turn.
  if (produced.kind === 'stream') {
    return ports.turns.run((late) => keepMeasured(request, produced, budget, late ? withoutPlace(ports) : ports));
  }
  const over = await overBudget(produced, budget);
  if (over === null) return null;
  if ('text' in over) return shown('success', [{ text: over.text }]);
  return ports.turns.run((late) => keepSource(request(), over, late ? withoutPlace(ports) : ports));
}

/** Waits for its turn as the blocks that were returned, whatever becomes of the tool's own list meanwhile. */
function asReturned(produced: Produced): Produced {
  if (produced.kind !== 'result') return produced;
  return { kind: 'result', result: { ...produced.result, content: countedBlocks(produced.result) } };
}

/** Its turn never came: the store is not asked any more. */
function withoutPlace<Ports extends KeepPorts>(ports: Ports): Ports {
  return { ...ports, store: closedStore(ports.store, ports.settings.storage.uploadTimeoutMs) };
}

/** Reduced before anything is measured, shown or stored; what fails on the way says nothing of what it failed over. */
async function keepViewed(
  request: () => Omit<KeepRequest, 'result'>,
  produced: Produced,
  { budget, fields }: { readonly budget: number; readonly fields: NonNullable<ReturnType<typeof keptFields>> },
  ports: KeepPorts,
): Promise<Kept> {
  try {
    const source = await sourceOf(produced);
    const over = await overBudget({ kind: 'stream', pieces: applyView(source.pieces, fields) }, budget);
    if (over === null || 'text' in over) return shown('success', [{ text: over?.text ?? '' }]);
    return await keepSource(request(), { ...over, contentType: source.contentType }, ports);
  } catch (error) {
    const code = refusalCode(error, ports.telemetry);
    return shown('error', [{ text: `${code}: the result could not be reduced to what this run may see` }]);
  }
}

async function keepMeasured(
  request: () => Omit<KeepRequest, 'result'>,
  produced: Produced,
  budget: number,
  ports: KeepPorts,
): Promise<Kept | null> {
  const over = await overBudget(produced, budget);
  if (over === null) return null;
  if ('text' in over) return shown('success', [{ text: over.text }]);
  return keepSource(request(), over, ports);
}

/** Nobody is known whom it could be stored for: a bounded preview that says so, and no reference. */
export async function unkeptContent(
  tool: ToolDefinition,
  produced: Produced,
  ports: Pick<KeepPorts, 'settings' | 'telemetry'>,
): Promise<Kept | null> {
  const budget = budgetOf(tool, ports.settings);
  const fields = keptFields(tool, []);
  if (produced.kind === 'result' && produced.result.status === 'error') return failed(produced.result, fields, budget);
  if (fields !== null) return shown('error', [{ text: 'Forbidden: it is not known who asks' }]);
  const over = await overBudget(produced, budget);
  if (over === null) return null;
  if ('text' in over) return shown('success', [{ text: over.text }]);
  return counted(over, tool, budget, ports);
}

async function counted(
  source: ToolSource,
  tool: ToolDefinition,
  budget: number,
  { settings, telemetry }: Pick<KeepPorts, 'settings' | 'telemetry'>,
): Promise<Kept> {
  const scanner = new ResultScanner(scanOptions(budget, settings, tool));
  const walk = new ScannedWalk(source.pieces, scanner, { maxBytes: Number.POSITIVE_INFINITY });
  await walk.drain(source.inMemory ? Number.POSITIVE_INFINITY : Date.now() + settings.storage.uploadTimeoutMs);
  telemetry.decision('not_stored', { tool: tool.name, code: 'NoOwner' });
  telemetry.count('Truncation', 1, { tool: tool.name, reason: 'not_stored' });
  const facts = { budget, code: 'NoOwner', totalBytes: walk.ended ? walk.bytes : null, tool };
  const content = unstoredContent({ ...scanner.end(), identity: null }, source.around, facts);
  return { status: 'success', content, stored: null, oversize: true, warnings: ['not stored: NoOwner'] };
}

/** Bytes that pass as they are: results up to the floor are shorter than what would stand for them (DESIGN 5.7). */
function budgetOf(tool: ToolDefinition, { hook, insert }: Settings): number {
  return Math.max(Math.min(tool.budgetBytes, insert.maxBytes), hook.floorBytes);
}

function failed(result: ToolResult, fields: ReturnType<typeof keptFields>, budget: number): Kept | null {
  const content = fields === null ? overBudgetFailure(result, budget) : viewedError(result, fields);
  return content === null ? null : shown('error', boundedError(content, budget));
}

function shown(status: Kept['status'], content: Kept['content']): Kept {
  return { status, content, stored: null, oversize: false, warnings: [] };
}
