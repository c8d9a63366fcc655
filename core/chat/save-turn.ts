import { collectBasis } from '../basis/collect-basis.ts';
import { deliveredFacts } from '../basis/delivered.ts';
import { type RunCalls, runCalls } from '../basis/run-calls.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Replacements } from '../guard/replacements.ts';
import type { Erasures } from '../run/flow-starter.ts';
import type { RunMessages } from '../run/messages.ts';
import type { Outcomes } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { Chats, ChatTurn, SavedThread, TurnReference } from './chat.ts';
import { failureWords, type TurnFailure } from './failure-words.ts';
import { type OriginFinder, type OriginPorts, originFinder } from './result-origin.ts';
import { savedThread } from './saved-thread.ts';
import { chatTitle } from './title.ts';

export interface SaveTurnPorts extends OriginPorts {
  readonly messages: Pick<RunMessages, 'thread'>;
  readonly outcomes: Outcomes;
  readonly replacements: Pick<Replacements, 'all'>;
  readonly chats: Chats;
  /** Nothing is written for somebody whose data was erased. */
  readonly erasures: Erasures;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Persists what a run added to its chat (DESIGN 5.8): once per run, however often it is called. Messages are kept as
 * the models saw them, with markers for confirmed copies only, beside the references and the basis that code computed.
 * Throws `Expired` when the chat's date has passed and `StorageUnavailable` when it could not be written.
 */
export async function saveTurn(
  run: Run,
  failure: TurnFailure | undefined,
  settings: Pick<Settings, 'chat'>,
  ports: SaveTurnPorts,
): Promise<{ readonly n: number; readonly created: boolean }> {
  const recorded = await ports.outcomes.find<{ readonly n: number }>(run.runId, 'save');
  if (recorded !== undefined) return { n: recorded.n, created: false };
  if (await ports.erasures.isErased(run.owner)) {
    throw new ClaimcheckError('Forbidden', 'chat: nothing is kept for this owner any more');
  }
  const now = ports.clock.now();
  const turn = await composeTurn(run, failure, now, ports);
  const saved = await ports.chats.save(run.owner, run.session, turn, {
    title: chatTitle(run.message),
    expiresAt: Math.floor(now.getTime() / 1000) + settings.chat.retentionDays * 86_400,
    now,
  });
  await ports.outcomes.record(run.runId, 'save', { n: saved.n });
  ports.telemetry.decision('turn_saved', {
    turn: saved.n,
    created: saved.created,
    status: turn.status,
    results: turn.references.length,
  });
  return saved;
}

/** Whoever failed may have died in the middle of a message, and nobody completes it. */
function unfinishedLeftOut(messages: SaveTurnPorts['messages']): SaveTurnPorts['messages'] {
  return { thread: (runId, agent) => messages.thread(runId, agent, { leaveOutUnfinished: true }) };
}

async function composeTurn(
  run: Run,
  failure: TurnFailure | undefined,
  now: Date,
  ports: SaveTurnPorts,
): Promise<ChatTurn> {
  const [calls, replacements, earlier] = await Promise.all([
    runCalls(run, { ...ports, messages: failure === undefined ? ports.messages : unfinishedLeftOut(ports.messages) }),
    ports.replacements.all(run.runId),
    ports.chats.header(run.owner, run.session),
  ]);
  const finder = originFinder(run, ports);
  const threads = await Promise.all(
    calls.threads.map(({ agent, messages }) =>
      savedThread(agent, messages, { replacements, outcomes: calls.outcomes, origin: finder.origin }),
    ),
  );
  const inheritedGates = earlier?.gates ?? [];
  const ended = failure ?? (calls.answer === undefined ? { code: 'NoAnswer' } : undefined);
  return {
    runId: run.runId,
    agent: run.agent,
    at: now.toISOString(),
    status: ended === undefined ? 'succeeded' : 'failed',
    ...(ended === undefined ? {} : { failure: { code: ended.code.slice(0, 64), message: failureWords(ended) } }),
    question: run.message,
    answer: calls.answer ?? '',
    threads,
    references: await references(calls, finder),
    basis: collectBasis(calls.tools, replacements),
    gates: [...new Set([...inheritedGates, ...threads.flatMap(threadGates)])].sort(),
    inheritedGates,
  };
}

/** Stored results of the run, oldest first, each once; only those that stand in storage now. */
async function references(calls: RunCalls, finder: OriginFinder): Promise<readonly TurnReference[]> {
  const refs = new Set([
    ...calls.tools.flatMap(({ outcome }) => [outcome.ref, ...(deliveredFacts(outcome.delivered)?.kept ?? [])]),
    ...calls.handedOver,
  ]);
  const found: TurnReference[] = [];
  for (const ref of refs) {
    if (ref === null) continue;
    const { entry, index } = await finder.stored(ref);
    if (index === undefined) continue;
    found.push({
      ref,
      tool: index.tool,
      bytes: index.bytes,
      records:
        index.pictureType === undefined && (index.unit === 'records' || index.kind !== 'text') ? index.records : null,
      unit: index.unit,
      ...(partTotal(index) === null ? {} : { sourceTotal: partTotal(index) as number }),
      availableUntil: index.availableUntil,
      gates: index.gates,
      ...(entry?.exportId === undefined ? {} : { exportId: entry.exportId }),
      ...(index.fileName === undefined ? {} : { fileName: index.fileName }),
      ...(index.pictureType === undefined ? {} : { pictureType: index.pictureType }),
    });
  }
  return found;
}

/** What stands in the file is not all that there is at its source. */
function partTotal({ upstream, records }: ResultIndex): number | null {
  return upstream?.partial === true && upstream.total !== null && upstream.total > records ? upstream.total : null;
}

function threadGates(thread: SavedThread): readonly string[] {
  return thread.messages.flatMap((message) =>
    message.content.flatMap((block) => ('origin' in block ? block.origin.gates : [])),
  );
}
