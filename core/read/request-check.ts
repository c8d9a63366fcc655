import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock, Message, MessageBlock, ToolResultBlock } from '../content/block.ts';
import type { Marker } from '../guard/marker.ts';
import type { JsonValue } from '../json.ts';
import type { DeliveredRead } from './answer.ts';
import type { ReadCoverage } from './read-coverage.ts';

/** A read of the turn that the request answers: what must stand in the request, and what it said it delivered. */
export interface CurrentRead {
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly delivered: DeliveredRead;
  /** What may stand in its place, because it says itself that nothing was delivered. */
  readonly stated?: readonly (readonly ContentBlock[])[];
}

export interface RequestCheck {
  /** The very same array when every selection is there. */
  readonly messages: readonly Message[];
  /** Tool-use ids of the selections that the request had lost. */
  readonly lost: readonly string[];
}

/** The facts of a read or a riding selection in a tool outcome; `undefined` for any other outcome. */
export function deliveredRead(delivered: JsonValue | undefined): DeliveredRead | undefined {
  const facts = delivered as unknown as Partial<DeliveredRead> | null | undefined;
  return facts?.kind === 'read' && typeof facts.ref === 'string' && typeof facts.coverage === 'object'
    ? (facts as DeliveredRead)
    : undefined;
}

/**
 * The last look at a request before it is sent: what a read of this turn delivered must be in it, block by block. A
 * selection that was shortened, replaced or dropped on the way becomes a coverage fact in its place (nothing loaded,
 * `request_limit`, and how to repeat it): the model never takes an absent selection for an empty one, and never reads
 * a marker as what it asked for. Earlier reads are not looked at; they may stand as markers.
 */
export function checkRequest(messages: readonly Message[], reads: readonly CurrentRead[]): RequestCheck {
  const lost = reads.filter((read) => {
    const there = resultOf(messages, read.toolUseId);
    return ![read.content, ...(read.stated ?? [])].some((content) => isDeepStrictEqual(there, content));
  });
  if (lost.length === 0) return { messages, lost: [] };
  return { messages: lost.reduce(withFact, messages), lost: lost.map((read) => read.toolUseId) };
}

/** What may stand for an earlier read: its arguments, from which it can be repeated exactly (DESIGN 5.5). */
export function readMarker(read: DeliveredRead, availableUntil: string): Extract<Marker, { kind: 'read' }> {
  const limit = read.selection['limit'];
  return {
    kind: 'read',
    ref: read.ref,
    fields: read.fields,
    offset: Number(read.coverage['offset'] ?? 0),
    limit: typeof limit === 'number' ? limit : null,
    availableUntil,
  };
}

/** The coverage of a selection of which nothing is in the request. */
export function lostCoverage(read: DeliveredRead): ReadCoverage {
  const coverage = read.coverage as unknown as ReadCoverage;
  const { next_part: _part, left: _left, ...facts } = coverage;
  return {
    ...facts,
    loaded: 0,
    next_offset: coverage.offset,
    byte_complete: false,
    selection_complete: false,
    input_complete: coverage.input_complete === null ? null : false,
    reasons: [...new Set([...coverage.reasons, 'request_limit' as const])],
  };
}

function resultOf(messages: readonly Message[], toolUseId: string): readonly ContentBlock[] | undefined {
  // The newest one: an id may have been used before.
  return messages
    .findLast((message) => message.content.some((block) => isResultOf(block, toolUseId)))
    ?.content.filter((block): block is ToolResultBlock => isResultOf(block, toolUseId))
    .at(-1)?.toolResult.content;
}

/** Puts the fact where the result stood; beside its call when only that is left; else at the end of what is asked. */
function withFact(messages: readonly Message[], read: CurrentRead): readonly Message[] {
  const text = JSON.stringify({
    data: null,
    coverage: lostCoverage(read.delivered),
    note: `what was read did not fit into this request and is not in it; repeat read_result with ref ${read.delivered.ref} and a smaller selection`,
    selection: read.delivered.selection,
  });
  const fact: ToolResultBlock = { toolResult: { toolUseId: read.toolUseId, status: 'success', content: [{ text }] } };
  const answered = messages.findLastIndex((message) =>
    message.content.some((block) => isResultOf(block, read.toolUseId)),
  );
  if (answered >= 0) {
    const { role, content } = messages[answered] as Message;
    return messages.with(answered, {
      role,
      content: content.map((block) => (isResultOf(block, read.toolUseId) ? fact : block)),
    });
  }
  const asked = messages.findLastIndex((message) =>
    message.content.some((block) => 'toolUse' in block && block.toolUse.toolUseId === read.toolUseId),
  );
  const answers = messages[asked + 1];
  if (asked >= 0 && answers?.role === 'user') {
    return messages.with(asked + 1, { ...answers, content: [fact, ...answers.content] });
  }
  if (asked >= 0)
    return [...messages.slice(0, asked + 1), { role: 'user', content: [fact] }, ...messages.slice(asked + 1)];
  // A result without its call is refused by the service: the fact stands as text.
  const last = messages.at(-1);
  if (last?.role === 'user') {
    return [...messages.slice(0, -1), { ...last, content: [...last.content, { text }] }];
  }
  return [...messages, { role: 'user', content: [{ text }] }];
}

function isResultOf(block: MessageBlock, toolUseId: string): block is ToolResultBlock {
  return 'toolResult' in block && block.toolResult.toolUseId === toolUseId;
}
