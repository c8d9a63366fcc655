import type { ContentBlock, MessageBlock, ToolUseBlock } from '../content/block.ts';
import { sendable } from '../content/sendable.ts';
import { contentDigest } from '../guard/content-digest.ts';
import { notKept } from '../guard/marker.ts';
import type { Replacement } from '../guard/replacements.ts';
import type { RunMessage } from '../run/messages.ts';
import type { ToolOutcome } from '../run/outcomes.ts';
import type { ResultOrigin, SavedBlock, SavedMessage, SavedThread, SavedToolResult } from './chat.ts';

export interface ThreadFacts {
  readonly replacements: readonly Replacement[];
  /** Outcomes of the calls with this tool-use id in this turn. */
  readonly outcomes: (turn: number, toolUseId: string) => readonly ToolOutcome[];
  readonly origin: (outcome: ToolOutcome, input: ToolUseBlock['toolUse']['input'] | undefined) => Promise<ResultOrigin>;
}

/** One agent's messages as its model saw them last: guard replacements in place, markers as fields. */
export async function savedThread(
  agent: string,
  messages: readonly RunMessage[],
  facts: ThreadFacts,
): Promise<SavedThread> {
  const saved: SavedMessage[] = [];
  let replacedBefore = false;
  const inputs = new Map<string, ToolUseBlock['toolUse']['input']>();
  for (const message of messages) {
    for (const block of message.content) {
      if ('toolUse' in block) inputs.set(block.toolUse.toolUseId, block.toolUse.input);
    }
    // What the model saw last: the guard leaves reasoning out behind the first result that it replaced.
    const seen = replacedBefore ? message.content.filter((block) => !('reasoningContent' in block)) : message.content;
    saved.push({
      role: message.role,
      content: await Promise.all(seen.map((block) => savedBlock(message.turn, block, inputs, facts))),
    });
    replacedBefore ||= message.content.some((block) => replacementOf(block, facts) !== undefined);
  }
  return { agent, messages: saved };
}

async function savedBlock(
  turn: number,
  block: MessageBlock,
  inputs: ReadonlyMap<string, ToolUseBlock['toolUse']['input']>,
  facts: ThreadFacts,
): Promise<SavedMessage['content'][number]> {
  if (!('toolResult' in block)) return block;
  const { toolUseId, content } = block.toolResult;
  const origins = await Promise.all(
    facts.outcomes(turn, toolUseId).map((outcome) => facts.origin(outcome, inputs.get(toolUseId))),
  );
  const origin = oneOrigin(origins);
  const replacement = replacementOf(block, facts);
  return {
    toolResult: {
      ...block.toolResult,
      content: replacement === undefined ? confirmedOnly(content, origin) : replaced(replacement, content),
    },
    origin,
  } satisfies SavedToolResult;
}

/**
 * Which of several calls of one id a result came from is not known, so it carries the gates of all of them and is
 * confirmed as none.
 */
function oneOrigin(origins: readonly ResultOrigin[]): ResultOrigin {
  const last = origins.at(-1);
  // A result that the platform made up, such as "not executed": no tool's data in it.
  if (last === undefined) {
    return { tool: '', ref: null, sources: [], gates: [], availableUntil: null, confirmed: false };
  }
  if (origins.length === 1) return last;
  const all = (facts: 'gates' | 'sources') => [...new Set(origins.flatMap((origin) => origin[facts]))].sort();
  return { ...last, gates: all('gates'), sources: all('sources'), confirmed: false };
}

function replacementOf(block: MessageBlock, facts: ThreadFacts): Replacement | undefined {
  if (!('toolResult' in block)) return undefined;
  const { toolUseId, content } = block.toolResult;
  const same = facts.replacements.filter((known) => known.toolUseId === toolUseId);
  return same.length === 0 ? undefined : same.find((known) => known.digest === contentDigest(content));
}

function replaced(replacement: Replacement, content: readonly ContentBlock[]): readonly SavedBlock[] {
  // An attachment that the service does not take stood there as words, and went with them.
  const media = sendable(content).filter((block) => !('text' in block) && !('json' in block));
  const prefix: readonly SavedBlock[] = replacement.prefix === '' ? [] : [{ text: replacement.prefix }];
  return [...prefix, { marker: replacement.marker }, ...media];
}

/** A reference whose copy does not stand in storage is not written into a saved chat (DESIGN 5.5). */
function confirmedOnly(content: readonly ContentBlock[], origin: ResultOrigin): readonly SavedBlock[] {
  if (origin.ref === null || origin.confirmed) return content;
  return content.map((block) => (dataReferenceOf(block) === origin.ref ? { text: notKept } : block));
}

/** The reference in a data reference block (DESIGN 5.3); the caller knows which one platform code made. */
export function dataReferenceOf(block: SavedBlock): string | undefined {
  if (!('json' in block) || typeof block.json !== 'object' || block.json === null || Array.isArray(block.json))
    return undefined;
  const inner = (block.json as { readonly [key: string]: unknown })['data_reference'];
  if (typeof inner !== 'object' || inner === null) return undefined;
  const ref = (inner as { readonly ref?: unknown }).ref;
  return typeof ref === 'string' ? ref : undefined;
}
