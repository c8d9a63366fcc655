import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { workspace } from './workspace.ts';

const rows = Array.from({ length: 66_606 }, (_, id) => ({
  id,
  customer: `customer ${id}`,
  address: `${id % 200} Long Street, second floor, behind the second yard`,
  note: 'a row of some words that make it about as wide as rows are, if not wider than most of them are',
}));
const text = JSON.stringify(rows);
class Row {}

/**
 * A clock that stands still while this thread would run and other processes have the processors: milliseconds, where the
 * kernel tells for how long it waited in line (Linux: the second figure of `schedstat`, in nanoseconds).
 */
function ownTime(): number {
  const waited = existsSync(lines) ? Number(readFileSync(lines, 'utf8').split(' ')[1]) / 1e6 : 0;
  return performance.now() - waited;
}
const lines = `/proc/self/task/${process.pid}/schedstat`;

/** The longest time for which nothing else of the process had its turn, in milliseconds. */
async function longestStretch(made: unknown): Promise<number> {
  const { references } = workspace();
  const context = () => ({ owner: 'Ada', session: 'chat 1' });
  const tool = withResultsByReference(() => made, { references, name: 'rows', context });
  let longest = 0;
  let running = true;
  let last = ownTime();
  const watch = (async () => {
    while (running) {
      await sleep(1);
      const now = ownTime();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  const kept = await tool({});
  running = false;
  await watch;
  expect(kept).toMatchObject({ oversize: true, stored: { ref: expect.any(String) } });
  return longest;
}

it.each<[string, () => unknown]>([
  ['text', () => text],
  ['a value', () => ({ rows })],
  ['instances of a class', () => rows.map((row) => Object.assign(new Row(), row))],
  ['one long string in a value', () => ({ blob: 'x'.repeat(14_700_000) })],
  ['one long Chinese string in a value', () => ({ blob: '中文'.repeat(2_500_000) })],
  [
    'a narrow record, then wide ones',
    () => [
      { id: 0 },
      ...Array.from({ length: 1_500 }, (_, id) => ({ id, cells: Array(500).fill('some words of it') })),
    ],
  ],
  ['bytes', () => Buffer.from(text)],
  ['a stream of one piece of bytes', () => [Buffer.from(text)].values()],
  ['a stream of one text', () => [text].values()],
  ['words beside a text', () => ({ status: 'success', content: [{ text: 'Found:' }, { text }] })],
  ['200 texts', () => ({ status: 'success', content: Array(200).fill({ text: text.slice(0, 73_500) }) })],
  [
    'data and a text that repeats it',
    () => ({ content: [{ type: 'text', text: JSON.stringify({ rows }) }], structuredContent: { rows } }),
  ],
  [
    'the same with spaces',
    () => ({ content: [{ type: 'text', text: JSON.stringify({ rows }, null, 1) }], structuredContent: { rows } }),
  ],
  ['structured content alone', () => ({ content: [], structuredContent: { rows } })],
  ['JSON in a JSON string', () => ({ status: 'success', content: [{ text: JSON.stringify(text) }] })],
])(
  '14.7 MB as %s never hold the process up for 20 ms at a stretch',
  async (_, make) => {
    // The best of a few: what a neighbour takes of the machine is not ours. Made anew each time: a stream is read once.
    let best = Number.POSITIVE_INFINITY;
    for (let time = 0; time < 6 && best >= 20; time += 1) best = Math.min(best, await longestStretch(make()));
    expect(best).toBeLessThan(20);
  },
  60_000,
);
