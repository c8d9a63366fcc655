import { deliveredFacts } from '../basis/delivered.ts';
import type { ResultOrigin } from '../chat/chat.ts';
import type { ContentBlock } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import { type KeepTextPorts, keepText } from '../hand-off/keep-text.ts';
import type { JsonValue } from '../json.ts';
import { parseReference } from '../reference/reference.ts';
import type { ToolOutcome } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { gateOfNamed } from '../tool/gate.ts';
import type { ToolCatalogue } from '../tool/tool-definition.ts';
import { rememberedDigest } from './apply-replacements.ts';
import type { PutAway, PutAwayRequest } from './guard.ts';
import { hasExpired, type Marker } from './marker.ts';

export interface RunPutAwayPorts extends KeepTextPorts {
  readonly tools: ToolCatalogue;
  /** Where a result of an earlier turn of the chat came from. */
  readonly origin: (content: readonly ContentBlock[]) => ResultOrigin | undefined;
}

/** What is known of one result in a request, whether this run produced it or the chat's history brought it. */
interface Known {
  readonly tool: string;
  readonly builtin: boolean;
  readonly ref: string | null;
  readonly delivered: JsonValue | undefined;
  /** Set for results of this run: they can still be stored. */
  readonly call?: { readonly turn: number; readonly index: number };
}

/**
 * Puts a run's results away: what the hook has stored is confirmed by its commit record; what it has not is stored
 * now; what a platform tool answered can be asked for again. `calls` are the run's tool outcomes.
 */
export function runPutAway(
  run: Run,
  calls: readonly { readonly turn: number; readonly index: number; readonly outcome: ToolOutcome }[],
  ports: RunPutAwayPorts,
): PutAway {
  const find = (request: Pick<PutAwayRequest, 'toolUseId' | 'content'>): Known | undefined => {
    // The chat's history first: a model may use an id of an earlier turn again, and the content tells them apart.
    const origin = ports.origin(request.content);
    if (origin !== undefined) {
      return { tool: origin.tool, builtin: isBuiltin(origin.tool), ref: origin.ref, delivered: origin.delivered };
    }
    const same = calls.filter(({ outcome }) => outcome.toolUseId === request.toolUseId);
    const call =
      same.length < 2
        ? same[0]
        : same.find(({ outcome }) => rememberedDigest(outcome.content) === rememberedDigest(request.content));
    if (call === undefined) return undefined;
    const { tool, ref, delivered } = call.outcome;
    return { tool, builtin: isBuiltin(tool), ref, delivered, call };
  };
  const isBuiltin = (tool: string) => ports.tools.find(tool)?.builtin === true;

  async function keep(request: PutAwayRequest): Promise<Marker | 'unconfirmed' | 'impossible'> {
    // Failed calls are bounded too, without a reference: there is nothing to refer to (DESIGN 5.7).
    if (request.status === 'error') return { kind: 'error', bytes: request.bytes };
    const known = find(request);
    if (known === undefined) return 'impossible';
    // What the model has just selected, also on the call of the tool itself, never silently becomes a reference.
    const selected = request.latest ? deliveredFacts(known.delivered) : undefined;
    if (selected !== undefined) return { kind: 'unfit', refs: selected.refs, bytes: request.bytes };
    try {
      if (known.ref !== null) return storedMarker(request, await index(known.ref));
      if (known.builtin) return await repeatable(request, known);
      return known.call === undefined
        ? 'impossible'
        : storedMarker(request, await storeNow(request, known, known.call));
    } catch (error) {
      // Storage that has no room, or an owner that is erased, will not have it at the next try either.
      if (error instanceof ClaimcheckError) return error.retryable ? 'unconfirmed' : 'impossible';
      throw error;
    }
  }

  /** The commit record: without it the body does not exist (DESIGN 6). */
  async function index(ref: string): Promise<ResultIndex | undefined> {
    const { session, id } = parseReference(ref);
    return ports.store.readIndex({ owner: run.owner, session, id });
  }

  function storedMarker(request: PutAwayRequest, found: ResultIndex | undefined): Marker | 'impossible' {
    if (found === undefined || hasExpired(found.availableUntil, ports.clock.now())) return 'impossible';
    return {
      kind: 'stored',
      ref: found.ref,
      bytes: found.bytes,
      availableUntil: found.availableUntil,
      shown: { count: request.shown.count, total: found.records, unit: found.unit },
    };
  }

  async function repeatable(request: PutAwayRequest, known: Known): Promise<Marker | 'impossible'> {
    const facts = deliveredFacts(known.delivered);
    if (facts === undefined) return { kind: 'repeat', tool: known.tool, bytes: request.bytes };
    const indexes = await Promise.all(facts.refs.map(index));
    const dates = indexes.flatMap((found) => (found === undefined ? [] : [found.availableUntil])).sort();
    const availableUntil = dates[0];
    // What it was read from is gone: it cannot be repeated, so it stays.
    if (availableUntil === undefined || dates.length < facts.refs.length) return 'impossible';
    if (facts.kind === 'analysis') return { kind: 'analysis', refs: facts.refs, availableUntil };
    return {
      kind: 'read',
      ref: facts.refs[0] as string,
      fields: facts.fields,
      offset: facts.coverage?.offset ?? 0,
      limit: facts.coverage?.requested ?? facts.coverage?.loaded ?? null,
      availableUntil,
    };
  }

  async function storeNow(
    request: PutAwayRequest,
    known: Known,
    call: { readonly turn: number; readonly index: number },
  ): Promise<ResultIndex> {
    return keepText(
      run,
      {
        key: `text/${call.turn}/${call.index}`,
        turn: call.turn,
        index: call.index,
        tool: known.tool,
        text: textOf(request.content),
        gates: [gateOfNamed(ports.tools, known.tool, run.roles)],
        derivedFrom: [],
        noLaterThan: [],
      },
      ports,
    );
  }

  return {
    keep,
    isSelection: (toolUseId) => {
      const call = calls.find(({ outcome }) => outcome.toolUseId === toolUseId);
      return call !== undefined && deliveredFacts(call.outcome.delivered) !== undefined;
    },
  };
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => ('text' in block ? [block.text] : 'json' in block ? [JSON.stringify(block.json)] : []))
    .join('\n');
}
