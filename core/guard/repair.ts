import type { Message, MessageBlock, ToolResultBlock, ToolUseBlock } from '../content/block.ts';

/** Stands for a result that is not there: the service refuses a call without one. */
export const missingResult = 'This call has no recorded result.';

/**
 * Messages whose tool calls and results are in step (case H013): each call of an assistant turn is answered once, in
 * the user turn that follows; a missing answer becomes an error result; one too many, or given twice, is left out (the
 * first counts); words between call and result move behind the results. In order: the very same array back.
 */
export function repairedMessages(messages: readonly Message[]): readonly Message[] {
  const open = openCalls(messages, 0, []);
  return open !== undefined && open.length === 0 ? messages : repaired(messages);
}

/**
 * Ids of the calls that are still unanswered at the end, when messages from `from` on are in step behind calls `asked`
 * just before; undefined when they are not.
 */
export function openCalls(
  messages: readonly Message[],
  from: number,
  asked: readonly string[],
): readonly string[] | undefined {
  let open = asked;
  for (let at = from; at < messages.length; at += 1) {
    const message = messages[at] as Message;
    const results = idsOf(message, 'toolResult');
    const uses = idsOf(message, 'toolUse');
    if (message.role === 'assistant') {
      if (results.length > 0 || open.length > 0 || messages[at - 1]?.role === 'assistant') return undefined;
      if (uses.length > 1 && new Set(uses).size !== uses.length) return undefined;
      open = uses;
      continue;
    }
    if (uses.length > 0 || results.length !== open.length) return undefined;
    if (results.length > 1 && new Set(results).size !== results.length) return undefined;
    for (const id of results) if (!open.includes(id)) return undefined;
    open = none;
  }
  return open;
}

const none: readonly string[] = [];

function idsOf(message: Message, kind: 'toolUse' | 'toolResult'): readonly string[] {
  let ids: string[] | undefined;
  for (const block of message.content) {
    if (kind === 'toolUse' ? 'toolUse' in block : 'toolResult' in block) {
      const id = 'toolUse' in block ? block.toolUse.toolUseId : (block as ToolResultBlock).toolResult.toolUseId;
      if (ids === undefined) ids = [id];
      else ids.push(id);
    }
  }
  return ids ?? none;
}

function repaired(messages: readonly Message[]): readonly Message[] {
  const out: { role: Message['role']; content: MessageBlock[] }[] = [];
  let pending: readonly ToolUseBlock[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as Message;
    if (message.role === 'assistant') {
      const seen = new Set<string>();
      const content = message.content.filter((block) => {
        if ('toolResult' in block) return false;
        if (!('toolUse' in block)) return true;
        const fresh = !seen.has(block.toolUse.toolUseId);
        seen.add(block.toolUse.toolUseId);
        return fresh;
      });
      add(out, 'assistant', content);
      pending = content.filter((block) => 'toolUse' in block);
      if (pending.length === 0 || messages[at + 1]?.role === 'assistant') {
        if (pending.length > 0) add(out, 'user', answers(pending, []));
        pending = [];
      }
      if (pending.length > 0 && at === messages.length - 1) add(out, 'user', answers(pending, []));
      continue;
    }
    // The turns that the answers are spread over become one; turns behind them stay as they are.
    const blocks: MessageBlock[] = [...message.content];
    while (pending.length > 0 && messages[at + 1]?.role === 'user' && !answered(pending, blocks)) {
      at += 1;
      blocks.push(...(messages[at] as Message).content);
    }
    const results = blocks.filter((block) => 'toolResult' in block);
    const others = blocks.filter((block) => !('toolResult' in block) && !('toolUse' in block));
    out.push({ role: 'user', content: [...answers(pending, results), ...others] });
    pending = [];
  }
  return out.filter((message) => message.content.length > 0);
}

function answered(uses: readonly ToolUseBlock[], blocks: readonly MessageBlock[]): boolean {
  const ids = new Set(blocks.flatMap((block) => ('toolResult' in block ? [block.toolResult.toolUseId] : [])));
  return uses.every((block) => ids.has(block.toolUse.toolUseId));
}

/** Results in the order in which they came, missing ones behind them. */
function answers(uses: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): readonly ToolResultBlock[] {
  const open = new Set(uses.map((block) => block.toolUse.toolUseId));
  const kept = results.filter((block) => open.delete(block.toolResult.toolUseId));
  const missing = [...open].map(
    (toolUseId): ToolResultBlock => ({
      toolResult: { toolUseId, status: 'error', content: [{ text: missingResult }] },
    }),
  );
  return [...kept, ...missing];
}

function add(
  out: { role: Message['role']; content: MessageBlock[] }[],
  role: Message['role'],
  content: readonly MessageBlock[],
) {
  if (content.length === 0) return;
  const last = out.at(-1);
  if (last?.role === role) last.content.push(...content);
  else out.push({ role, content: [...content] });
}
