import type { ContentBlock } from '../../../core/content/block.ts';
import { contentBytes } from '../../../core/store/content-size.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import type { SummaryFormat } from '../../../core/tool/tool-definition.ts';
import { rowsText, rowsTool, runWorld, success } from '../../fakes/run-world.ts';
import { request } from './keep-request.ts';

const body = rowsText(5_000);

async function shown(summary?: SummaryFormat) {
  const world = await runWorld();
  const tool = { ...rowsTool, ...(summary === undefined ? {} : { summary }) };
  const kept = await keepResult(request({ tool, result: success({ text: body }) }), world);
  expect(contentBytes(kept.content)).toBeLessThanOrEqual(tool.budgetBytes);
  expect([...world.store.bodies.values()][0]?.content.toString('utf8')).toBe(body);
  expect([...world.store.indexes.values()][0]?.profile).not.toBeNull();
  const reference = (kept.content.at(-1) as { json: { data_reference: Record<string, unknown> } }).json.data_reference;
  const first = kept.content[0] as ContentBlock;
  return {
    blocks: kept.content.length,
    records: 'text' in first ? (JSON.parse(first.text) as unknown[]).length : 0,
    reference: reference as { records: number; coverage: { loaded: number; total: number; next_offset: number } },
    profile: reference['profile'],
  };
}

test('whole records and the profile, unless the tool says otherwise', async () => {
  const usual = await shown();
  expect(await shown('records_and_profile')).toEqual(usual);
  expect(usual.records).toBeGreaterThan(0);
  expect(usual.profile).toMatchObject({ records: 5_000 });
});

test('records alone: the room of the profile is theirs', async () => {
  const usual = await shown();
  const { records, profile, reference } = await shown('records');
  expect(profile).toBeUndefined();
  expect(records).toBeGreaterThan(usual.records);
  expect(reference.coverage).toMatchObject({ loaded: records, total: 5_000, next_offset: records });
});

test('the profile alone: no record is shown, and the coverage says so', async () => {
  const { blocks, records, profile, reference } = await shown('profile');
  expect([blocks, records]).toEqual([1, 0]);
  expect(profile).toMatchObject({ records: 5_000 });
  expect(reference).toMatchObject({ records: 5_000, coverage: { loaded: 0, total: 5_000, next_offset: 0 } });
});

test('what could not be stored is shown by its records all the same', async () => {
  const world = await runWorld();
  world.store.putBody = async () => Promise.reject(new Error('down'));
  const tool = { ...rowsTool, summary: 'profile' as const };
  const { content, stored } = await keepResult(request({ tool, result: success({ text: body }) }), world);
  expect(stored).toBeNull();
  expect((JSON.parse((content[0] as { text: string }).text) as unknown[]).length).toBeGreaterThan(0);
  expect(JSON.stringify(content)).toContain('not_stored');
});
