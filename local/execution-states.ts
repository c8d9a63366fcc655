import { GetExecutionHistoryCommand, type HistoryEvent, SFNClient } from '@aws-sdk/client-sfn';
import { credentials, region } from './ministack.ts';

/**
 * One state that an execution went through, with the UTF-8 bytes that went in and came out. A task's own parameters
 * and answer are a row of their own, named by what was invoked: inside a Map some emulators record nothing else.
 */
export interface StatePayload {
  readonly state: string;
  readonly inputBytes: number;
  readonly outputBytes: number | null;
}

/** Every state of an execution in the order entered, iterations of a Map as entries of their own. */
export async function executionStates(endpoint: string, executionArn: string): Promise<readonly StatePayload[]> {
  const client = new SFNClient({ endpoint, region, credentials });
  const events: HistoryEvent[] = [];
  let nextToken: string | undefined;
  do {
    const page = await client.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000, nextToken }));
    events.push(...(page.events ?? []));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  client.destroy();
  return statesOf(events);
}

/**
 * Pairs entries with exits: an exit belongs to the entry that its chain of previous events leads back to, so parallel
 * iterations of the same state stay apart; where a history names no such chain, to the oldest open entry of that name.
 */
export function statesOf(events: readonly HistoryEvent[]): readonly StatePayload[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const entries = new Map<number, { state: string; inputBytes: number; outputBytes: number | null }>();
  const tasks: { state: string; inputBytes: number; outputBytes: number | null }[] = [];
  for (const event of events) {
    const task = taskPayload(event);
    if (task !== undefined) tasks.push(task);
    const entered = event.stateEnteredEventDetails;
    if (entered !== undefined && event.id !== undefined) {
      entries.set(event.id, { state: entered.name ?? '', inputBytes: bytes(entered.input), outputBytes: null });
    }
    const exited = event.stateExitedEventDetails;
    if (exited === undefined) continue;
    const entry = entryOf(event, exited.name ?? '');
    if (entry !== undefined) entry.outputBytes = bytes(exited.output);
  }
  return [...entries.values(), ...tasks];

  function entryOf(exit: HistoryEvent, name: string) {
    let at: HistoryEvent | undefined = exit;
    const seen = new Set<HistoryEvent>();
    while (at?.previousEventId !== undefined && !seen.has(at)) {
      seen.add(at);
      at = byId.get(at.previousEventId);
      const entry = at?.id === undefined ? undefined : entries.get(at.id);
      if (entry?.state === name && entry.outputBytes === null) return entry;
    }
    return [...entries.values()].find((entry) => entry.state === name && entry.outputBytes === null);
  }
}

/** What a finished task got or answered; `$.Payload` wrappers and causes of failures count whole. */
function taskPayload(
  event: HistoryEvent,
): { state: string; inputBytes: number; outputBytes: number | null } | undefined {
  const row = (resource: string | undefined, input: string | undefined, output: string | undefined) => ({
    state: `(${(resource ?? '').split(':').at(-1)})`,
    inputBytes: bytes(input),
    outputBytes: output === undefined ? null : bytes(output),
  });
  const scheduled = event.taskScheduledEventDetails;
  if (scheduled?.parameters !== undefined) return row(scheduled.resource, scheduled.parameters, undefined);
  const succeeded = event.taskSucceededEventDetails;
  if (succeeded !== undefined) return row(succeeded.resource, undefined, succeeded.output ?? '');
  const failed = event.taskFailedEventDetails;
  if (failed !== undefined) return row(failed.resource, undefined, `${failed.error ?? ''}${failed.cause ?? ''}`);
  return undefined;
}

/** A table for people: one line per state, largest payload last. */
export function statesTable(states: readonly StatePayload[]): string {
  const width = Math.max(5, ...states.map(({ state }) => state.length));
  const line = (name: string, input: string, output: string) =>
    `${name.padEnd(width)}  ${input.padStart(8)}  ${output.padStart(8)}`;
  return [
    line('state', 'in', 'out'),
    ...states.map(({ state, inputBytes, outputBytes }) =>
      line(state, String(inputBytes), outputBytes === null ? '-' : String(outputBytes)),
    ),
    line('largest', String(largestPayload(states)), ''),
  ].join('\n');
}

/** The largest payload of any state, in bytes. */
export function largestPayload(states: readonly StatePayload[]): number {
  return Math.max(0, ...states.flatMap(({ inputBytes, outputBytes }) => [inputBytes, outputBytes ?? 0]));
}

function bytes(text: string | undefined): number {
  return Buffer.byteLength(text ?? '', 'utf8');
}
