import { contentBytes } from '../../../core/store/content-size.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import type { BodyMetadata } from '../../../core/store/result-store.ts';
import { rowsText, rowsTool, run, runId, runWorld, session, success } from '../../fakes/run-world.ts';
import { ref, request, resultId } from './keep-request.ts';

const tool = { ...rowsTool, intake: 'wrapper' as const };
const body = Buffer.from(rowsText(40_000));
const metadata: BodyMetadata = {
  tools: ['rows'],
  runId,
  turn: 1,
  index: 0,
  availableUntil: '2026-12-30T12:00:00.000Z',
  format: 1,
  contentType: 'application/json',
};
const reported = { id: resultId, bytes: body.length, sha256: 'a lie', etag: '"a lie"' };
const part = success({ text: body.subarray(0, 4_000).toString() });

async function world(made: Partial<BodyMetadata> = {}, id = resultId) {
  const made_ = await runWorld({ tools: [tool] });
  await made_.store.putBody({ owner: run.owner, session, id }, body, { ...metadata, ...made }, { maxBytes: 1e9 });
  return made_;
}

it('a confirmed body is scanned where it stands: totals and digest are ours, not the tool’s', async () => {
  const ports = await world();
  const kept = await keepResult(request({ tool, result: part, reported }), ports);
  expect(kept.stored).toMatchObject({ ref, records: 40_000, bytes: body.length });
  expect(kept.stored?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(24 * 1024);
  expect(ports.store.indexes.size).toBe(1);
  expect(ports.store.bodies.size).toBe(1);
});

it.each([
  ['another run', { runId: 'f'.repeat(32) }],
  ['another turn', { turn: 2 }],
  ['another index', { index: 1 }],
  ['another tool', { tools: ['flights'] }],
  ['more tools', { tools: ['rows', 'flights'] }],
])('a body made by %s does not count', async (_name, made) => {
  const ports = await world(made);
  const kept = await keepResult(request({ tool, result: part, reported }), ports);
  expect(kept.stored).toBeNull();
  expect(JSON.stringify(kept.content)).not.toContain('data_reference');
  expect((kept.content.at(-2) as { text: string }).text).toContain('the rest was not kept');
  expect(kept.content.at(-1)).toMatchObject({ json: { coverage: { total: null, input_complete: false } } });
  expect(ports.store.indexes.size).toBe(0);
  expect(ports.catalogue.entries.size).toBe(0);
});

it('neither does another id than the claimed one, a malformed id, or an object that is not there', async () => {
  for (const id of ['9'.repeat(32), '../../other', 7, undefined]) {
    const ports = await world({}, '9'.repeat(32));
    const kept = await keepResult(request({ tool, result: part, reported: { ...reported, id } }), ports);
    expect(kept.stored).toBeNull();
    expect(ports.store.indexes.size).toBe(0);
  }
  const empty = await runWorld({ tools: [tool] });
  expect((await keepResult(request({ tool, result: part, reported }), empty)).stored).toBeNull();
});

it('a tool that is no wrapper cannot point at a body', async () => {
  const ports = await world();
  const kept = await keepResult(request({ tool: rowsTool, result: success({ text: 'hello' }), reported }), ports);
  expect(kept).toMatchObject({ stored: null, content: [{ text: 'hello' }] });
  expect(ports.store.calls).toEqual(['putBody']);
});

it.each(['headBody', 'readBody', 'putIndex'] as const)(
  '%s refused: the part, and that the rest was not kept',
  async (call) => {
    const ports = await world();
    ports.store.failing.add(call);
    const kept = await keepResult(request({ tool, result: part, reported }), ports);
    expect(kept).toMatchObject({ status: 'success', stored: null });
    expect((kept.content.at(-2) as { text: string }).text).toMatch(/the rest was not kept \(StorageUnavailable\)/);
  },
);
