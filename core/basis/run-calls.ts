import type { JsonValue } from '../json.ts';
import type { RunMessage, RunMessages } from '../run/messages.ts';
import { openingAgent } from '../run/opening-agent.ts';
import type { Outcomes, ToolOutcome } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';

/** One tool call of a run, with what it was asked and whether its answer stood in a request that was really sent. */
export interface RunCall {
  readonly turn: number;
  readonly outcome: ToolOutcome;
  readonly input: JsonValue | undefined;
  /** Turn of the first model call whose reply followed it in the same thread; null: no request with it was answered. */
  readonly sentAt: number | null;
}

export interface RunCalls {
  /** In the order in which the agents took over. */
  readonly threads: readonly { readonly agent: string; readonly messages: readonly RunMessage[] }[];
  readonly tools: readonly RunCall[];
  /** References that hand-offs stored: the delegates' full texts. */
  readonly handedOver: readonly string[];
  /** What the last agent said last; undefined when no model answered in words. */
  readonly answer: string | undefined;
  /** Of the calls with this id in this turn: one, unless a model gave the same id to several. */
  outcomes(turn: number, toolUseId: string): readonly ToolOutcome[];
}

/** Reads a run's threads and tool outcomes back, for the saved turn and for the basis beside the answer. */
export async function runCalls(
  run: Pick<Run, 'runId' | 'agent'>,
  ports: { readonly messages: Pick<RunMessages, 'thread'>; readonly outcomes: Pick<Outcomes, 'list'> },
): Promise<RunCalls> {
  const [recorded, handOffs] = await Promise.all([
    ports.outcomes.list<ToolOutcome>(run.runId, 'tool/'),
    ports.outcomes.list<{ readonly ref?: string | null }>(run.runId, 'hand-off/'),
  ]);
  const agents = [openingAgent(run.agent), ...handOffs.map(({ key }) => key.split('/').slice(2).join('/'))];
  const threads = await Promise.all(
    [...new Set(agents)].map(async (agent) => ({ agent, messages: await ports.messages.thread(run.runId, agent) })),
  );
  const byCall = new Map<string, ToolOutcome[]>();
  for (const { key, outcome } of recorded) {
    const at = callKey(Number(key.split('/')[1]), outcome.toolUseId);
    byCall.set(at, [...(byCall.get(at) ?? []), outcome]);
  }
  const facts = new Map<string, CallFacts>();
  for (const { messages } of threads) markCalls(messages, facts);
  return {
    threads,
    tools: recorded.map(({ key, outcome }) => {
      const turn = Number(key.split('/')[1]);
      const found = facts.get(callKey(turn, outcome.toolUseId));
      return { turn, outcome, input: found?.input, sentAt: found?.sentAt ?? null };
    }),
    handedOver: handOffs.flatMap(({ outcome }) => (typeof outcome.ref === 'string' ? [outcome.ref] : [])),
    answer: lastWords(threads.flatMap((thread) => thread.messages)),
    outcomes: (turn, toolUseId) => byCall.get(callKey(turn, toolUseId)) ?? [],
  };
}

/** A tool-use id is a model's: it should be unique in its turn, and need not be in a run. */
function callKey(turn: number, toolUseId: string): string {
  return `${turn}/${toolUseId}`;
}

interface CallFacts {
  input?: JsonValue;
  sentAt: number | null;
}

function markCalls(messages: readonly RunMessage[], facts: Map<string, CallFacts>): void {
  for (const [at, message] of messages.entries()) {
    for (const block of message.content) {
      if ('toolUse' in block) {
        facts.set(callKey(message.turn, block.toolUse.toolUseId), { input: block.toolUse.input, sentAt: null });
      } else if ('toolResult' in block) {
        const key = callKey(message.turn, block.toolResult.toolUseId);
        const reply = messages.slice(at + 1).find((later) => later.role === 'assistant');
        facts.set(key, { ...facts.get(key), sentAt: reply?.turn ?? null });
      }
    }
  }
}

function lastWords(messages: readonly RunMessage[]): string | undefined {
  const said = messages.filter((message) => message.role === 'assistant').sort((one, other) => one.turn - other.turn);
  const words = said.at(-1)?.content.flatMap((block) => ('text' in block ? [block.text] : []));
  return words === undefined || words.length === 0 ? undefined : words.join('\n');
}
