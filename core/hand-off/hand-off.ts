import { collectBasis } from '../basis/collect-basis.ts';
import { type RunCalls, runCalls } from '../basis/run-calls.ts';
import type { Chats } from '../chat/chat.ts';
import { type OriginFinder, type OriginPorts, originFinder } from '../chat/result-origin.ts';
import type { ContentBlock } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { RunMessages } from '../run/messages.ts';
import type { Outcomes } from '../run/outcomes.ts';
import type { Grants, Run } from '../run/run.ts';
import { textPrefix } from '../store/content-size.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type HandOffResult, handOffFacts } from './hand-off-facts.ts';
import { type KeepTextPorts, keepText } from './keep-text.ts';
import { sourceDates } from './source-dates.ts';

export interface HandOffPorts extends Omit<KeepTextPorts, 'outcomes' | 'store' | 'catalogue' | 'grants'> {
  readonly store: KeepTextPorts['store'] & OriginPorts['store'];
  readonly catalogue: KeepTextPorts['catalogue'] & OriginPorts['catalogue'];
  readonly tools: OriginPorts['tools'];
  readonly messages: Pick<RunMessages, 'thread' | 'append'>;
  readonly outcomes: Outcomes;
  readonly grants: Grants;
  /** The chat that the run continues: its earlier turns stood before the delegate too. */
  readonly chats: Pick<Chats, 'header' | 'turns'>;
  readonly baseUrl: string;
  readonly telemetry: Telemetry;
  /** Words around the delegate's text for the next agent (prompts/hand-off.ts). */
  readonly wording: HandOffWording;
}

export interface HandOffWording {
  /** What stands above the facts. */
  readonly head: (from: string, to: string) => string;
  /**
   * What stands above the delegate's own words; `ref`: where they stand whole when they are shortened and until when
   * (ISO 8601, UTC), null when no room was left.
   */
  readonly text: (
    from: string,
    shortened: {
      readonly shown: number;
      readonly bytes: number;
      readonly stored: { readonly ref: string; readonly availableUntil: string } | null;
    } | null,
  ) => string;
}

/** One hand-off, recorded create-only. */
export interface HandOffOutcome {
  /** Turn of the next agent's opening message. */
  readonly turn: number;
  /** Turn of its first model call. */
  readonly next: number;
  /** The delegate's full text, when it was shortened. */
  readonly ref: string | null;
  /** References that travelled, as their own field. */
  readonly references: readonly string[];
}

/** UTF-8 bytes of the delegate's own words that go on; the facts above them are not counted against it. */
const textBytes = 8 * 1024;

/**
 * The next agent's opening message (DESIGN 5.8): the links, totals and flags on top, verbatim and made by code,
 * whatever the delegate wrote; then the question; then the delegate's words within a byte budget. The references are
 * split off before any budget applies and travel in a block of their own. A shortened text is stored whole under the
 * gates of everything it came from, and its reference goes to the person beside the answer. A repeat answers what the
 * first one recorded.
 */
export async function handOff(
  run: Run,
  event: { readonly turn: number; readonly from: string; readonly to: string },
  ports: HandOffPorts,
): Promise<HandOffOutcome> {
  const key = `hand-off/${event.turn}/${event.to}`;
  const recorded = await ports.outcomes.find<HandOffOutcome>(run.runId, key);
  if (recorded !== undefined) return recorded;
  const calls = await runCalls(run, ports);
  const said = delegateText(calls, event.from, event.turn);
  const finder = originFinder(run, ports);
  const results = await handedResults(calls, finder, ports.baseUrl);
  const bytes = Buffer.byteLength(said, 'utf8');
  const kept =
    bytes > textBytes ? await keepDelegateText(run, event, said, { calls, finder, results }, ports) : undefined;
  const content = opening(run, event, said, results, kept, ports);
  await ports.messages.append(run.runId, { agent: event.to, turn: event.turn, role: 'user', content });
  for (const { ref } of results) {
    // The next agent runs in the same run, so this is on record only; a child run needs it to read.
    await ports.grants.give(run.runId, { ref, via: 'hand-off', grantedAt: ports.clock.now().toISOString() });
  }
  const { outcome } = await ports.outcomes.record<HandOffOutcome>(run.runId, key, {
    turn: event.turn,
    next: event.turn + 1,
    ref: kept?.ref ?? null,
    references: results.map(({ ref }) => ref),
  });
  ports.telemetry.decision('handed_off', {
    from: event.from,
    to: event.to,
    references: results.length,
    bytes,
    shortened: bytes > textBytes,
    kept: kept !== undefined,
  });
  return outcome;
}

/** What the delegate said last at that turn; without it there is nothing to hand on. */
function delegateText(calls: RunCalls, agent: string, turn: number): string {
  const thread = calls.threads.find((one) => one.agent === agent)?.messages ?? [];
  const message = thread.findLast((one) => one.role === 'assistant' && one.turn <= turn);
  if (message === undefined) {
    throw new ClaimcheckError('NotFound', 'hand-off: this agent has said nothing in this run', { agent });
  }
  return message.content
    .flatMap((block) => ('text' in block ? [block.text] : []))
    .join('\n')
    .trim();
}

async function handedResults(
  calls: RunCalls,
  finder: OriginFinder,
  baseUrl: string,
): Promise<readonly HandOffResult[]> {
  const basis = collectBasis(calls.tools, []);
  const refs = [...new Set(calls.tools.flatMap(({ outcome }) => (outcome.ref === null ? [] : [outcome.ref])))];
  const found = await Promise.all(refs.map(async (ref) => (await finder.stored(ref)).index));
  return found.flatMap((index): HandOffResult[] => {
    if (index === undefined) return [];
    const seen = basis.results.find((result) => result.ref === index.ref);
    return [{ ref: index.ref, index, url: `${baseUrl}/results/${index.ref}`, basis: seen }];
  });
}

async function keepDelegateText(
  run: Run,
  event: { readonly turn: number; readonly from: string; readonly to: string },
  text: string,
  from: { readonly calls: RunCalls; readonly finder: OriginFinder; readonly results: readonly HandOffResult[] },
  ports: HandOffPorts,
): Promise<ResultIndex | undefined> {
  const { calls, finder, results } = from;
  const gates = new Set(results.flatMap(({ index }) => index.gates));
  // Results that were never stored are sources too, and platform tools' answers carry the gates of what they read.
  const sources = new Set<string>();
  for (const { outcome, input } of calls.tools) {
    const origin = await finder.origin(outcome, input);
    for (const gate of origin.gates) gates.add(gate);
    for (const source of origin.sources) sources.add(source);
  }
  // And so is what the chat's earlier turns told the delegate, whether it called a tool now or not (DESIGN 7.4).
  for (const gate of (await ports.chats.header(run.owner, run.session))?.gates ?? []) gates.add(gate);
  return keepText(
    run,
    {
      key: `text/hand-off/${event.turn}/${event.to}`,
      turn: event.turn,
      index: 9_999,
      tool: 'hand-off',
      text,
      gates: gates.size > 0 ? [...gates].sort() : [openGate],
      derivedFrom: results.map(({ ref }) => ref),
      noLaterThan: [
        ...results.map(({ index }) => index.availableUntil),
        ...(await sourceDates(run, [...sources], { chats: ports.chats, finder })),
      ],
      fileName: `${event.from}.txt`,
    },
    ports,
  ).catch((error: unknown) => {
    // A full storage costs the rest of the text, and says so, but not the run.
    if (!(error instanceof ClaimcheckError && error.code === 'QuotaExceeded')) throw error;
    return undefined;
  });
}

/** A text that rests on no tool at all is the owner's alone: this gate is open to everybody who is signed in. */
const openGate = 'list_results';

function opening(
  run: Run,
  event: { readonly from: string; readonly to: string },
  said: string,
  results: readonly HandOffResult[],
  kept: ResultIndex | undefined,
  ports: HandOffPorts,
): readonly ContentBlock[] {
  const bytes = Buffer.byteLength(said, 'utf8');
  const shown = textPrefix(said, textBytes);
  const shortened =
    bytes <= textBytes ? null : { shown: Buffer.byteLength(shown, 'utf8'), bytes, stored: kept ?? null };
  const facts = results.map(handOffFacts).join('\n');
  const words = [
    ports.wording.head(event.from, event.to),
    ...(facts === '' ? [] : [facts]),
    `Question: ${run.message}`,
    ports.wording.text(event.from, shortened),
    shown === '' ? '(nothing)' : shown,
  ];
  const references: ContentBlock[] =
    results.length === 0 ? [] : [{ json: { data_references: results.map(referenceField) as unknown as JsonValue } }];
  return [{ text: words.join('\n\n') }, ...references];
}

/** The reference travels as a field of its own, never inside the delegate's words. */
function referenceField({ ref, index, url }: HandOffResult): { readonly [key: string]: JsonValue } {
  return {
    ref,
    tool: index.tool,
    kind: index.kind,
    bytes: index.bytes,
    [index.unit]: index.records,
    fields: index.fields.slice(0, 50),
    available_until: index.availableUntil,
    download_url: url,
  };
}
