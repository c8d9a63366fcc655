import type { Chats } from '../chat/chat.ts';
import type { OriginFinder } from '../chat/result-origin.ts';
import type { Run } from '../run/run.ts';

/**
 * The dates until which the sources of a text are kept: `sources` are stored results that it drew on in this run, and
 * `told` turns on what the chat's earlier turns told the delegate, whether it called a tool now or not. What was past
 * its date when the run was admitted did not stand in its requests any more (they said so), so nothing rests on it.
 */
export async function sourceDates(
  run: Run,
  sources: readonly string[],
  ports: { readonly chats: Pick<Chats, 'turns'>; readonly finder: OriginFinder },
): Promise<readonly string[]> {
  const turns = (await ports.chats.turns(run.owner, run.session)).filter(({ at }) => at < run.admittedAt);
  const origins = turns.flatMap(({ threads }) =>
    threads.flatMap(({ messages }) =>
      messages.flatMap(({ content }) => content.flatMap((block) => ('origin' in block ? [block.origin] : []))),
    ),
  );
  const read = new Set([...sources, ...origins.flatMap((origin) => origin.sources)]);
  const found = await Promise.all([...read].map((ref) => ports.finder.stored(ref)));
  const dates = [
    ...turns.flatMap(({ references }) => references.map(({ availableUntil }) => availableUntil)),
    ...origins.flatMap(({ availableUntil }) => (availableUntil === null ? [] : [availableUntil])),
    ...found.flatMap(({ entry, index }) => index?.availableUntil ?? entry?.availableUntil ?? []),
  ];
  return [...new Set(dates)].filter((date) => Date.parse(date) > Date.parse(run.admittedAt)).sort();
}
