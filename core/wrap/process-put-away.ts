import { deliveredFacts } from '../basis/delivered.ts';
import type { ContentBlock, Message } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import { rememberedDigest } from '../guard/apply-replacements.ts';
import type { PutAway, PutAwayRequest } from '../guard/guard.ts';
import { hasExpired, type Marker } from '../guard/marker.ts';
import { keepText } from '../hand-off/keep-text.ts';
import { parseReference } from '../reference/reference.ts';
import type { Run } from '../run/run.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { gateOfNamed } from '../tool/gate.ts';
import type { References } from './references.ts';
import type { RememberedCall } from './run-memory.ts';

const readers = new Set(['list_results', 'read_result', 'analyze_result']);

/**
 * Puts away what the guard takes out of a process's conversation: what was stored is confirmed by its commit record,
 * what was within the budget is stored now, what was read can be read again. Nothing is replaced that cannot be opened.
 */
export function processPutAway(run: Run, messages: readonly Message[], references: References): PutAway {
  const { ports, memory } = references;

  function remembered(toolUseId: string, content: readonly ContentBlock[]): RememberedCall | undefined {
    const calls = memory.calls(run.runId, toolUseId);
    if (calls.length < 2) return calls[0];
    // An id that came twice: what we made of a stored result names its reference.
    const text = JSON.stringify(content);
    return calls.find(({ ref }) => ref !== null && text.includes(ref)) ?? calls.find(({ ref }) => ref === null);
  }

  function toolOf(toolUseId: string): string | undefined {
    for (const { content } of messages) {
      for (const block of content) {
        if ('toolUse' in block && block.toolUse.toolUseId === toolUseId) return block.toolUse.name;
      }
    }
    return undefined;
  }

  async function keep(request: PutAwayRequest): Promise<Marker | 'unconfirmed' | 'impossible'> {
    const { toolUseId, content, bytes } = request;
    if (request.status === 'error') return { kind: 'error', bytes };
    const call = remembered(toolUseId, content);
    const tool = call?.tool ?? toolOf(toolUseId);
    if (tool === undefined) return 'impossible';
    try {
      if (readers.has(tool)) return await repeatable(request, tool, call);
      const ref = call?.ref ?? null;
      return marker(request, ref === null ? await storeNow(request, tool) : await index(ref));
    } catch (error) {
      if (error instanceof ClaimcheckError) return 'unconfirmed';
      throw error;
    }
  }

  async function index(ref: string): Promise<ResultIndex | undefined> {
    const { session, id } = parseReference(ref);
    return ports.store.readIndex({ owner: run.owner, session, id });
  }

  function marker({ shown }: PutAwayRequest, found: ResultIndex | undefined): Marker | 'impossible' {
    if (found === undefined || hasExpired(found.availableUntil, ports.clock.now())) return 'impossible';
    const { ref, bytes, availableUntil, records, unit } = found;
    return { kind: 'stored', ref, bytes, availableUntil, shown: { count: shown.count, total: records, unit } };
  }

  async function repeatable(
    request: PutAwayRequest,
    tool: string,
    call: RememberedCall | undefined,
  ): Promise<Marker | 'impossible'> {
    const facts = deliveredFacts(call?.delivered);
    if (facts === undefined) return { kind: 'repeat', tool, bytes: request.bytes };
    if (request.latest) return { kind: 'unfit', refs: facts.refs, bytes: request.bytes };
    const found = await index(facts.refs[0] as string);
    if (found === undefined) return 'impossible';
    const { availableUntil } = found;
    if (facts.kind === 'analysis') return { kind: 'analysis', refs: facts.refs, availableUntil };
    return {
      kind: 'read',
      ref: found.ref,
      fields: facts.fields,
      offset: facts.coverage?.offset ?? 0,
      limit: facts.coverage?.requested ?? facts.coverage?.loaded ?? null,
      availableUntil,
    };
  }

  function storeNow({ toolUseId, content }: PutAwayRequest, tool: string): Promise<ResultIndex> {
    const text = content
      .flatMap((block) => ('text' in block ? [block.text] : 'json' in block ? [JSON.stringify(block.json)] : []))
      .join('\n');
    return keepText(
      run,
      {
        key: `text/${toolUseId}/${rememberedDigest(content)}`,
        turn: 0,
        index: 0,
        tool,
        text,
        gates: [gateOfNamed(references.tools, tool, run.roles)],
        derivedFrom: [],
        noLaterThan: [],
      },
      ports,
    );
  }

  return {
    keep,
    isSelection: (toolUseId) =>
      memory.calls(run.runId, toolUseId).some(({ delivered }) => deliveredFacts(delivered) !== undefined),
  };
}
