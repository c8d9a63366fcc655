import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kept } from '../../../core/store/keeping.ts';
import { References } from '../../../core/wrap/references.ts';
import { resultsFolder } from '../../../files/results-folder.ts';
import { newFolder, rowsOf, settings } from './workspace.ts';

const day = 86_400_000;

async function stored(folder: string, days: number, input: object = {}) {
  const { store, catalogue } = resultsFolder(folder, { sweepAtStart: false });
  const references = new References({ store, catalogue, settings: settings({ storage: { retentionDays: days } }) });
  const run = references.run({ owner: 'ada', session: 'chat' });
  const call = { run, tool: 'rows', toolUseId: 'use', input };
  const kept = (await references.keep(call, { kind: 'value', value: rowsOf(2_000) })) as Kept;
  const { ref } = kept.stored as NonNullable<Kept['stored']>;
  const [session = '', id = ''] = ref.split('/');
  return { references, run, ref, folder: join(folder, 'results', run.owner, session, id) };
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

/** As if the writer had ended on the way, so long ago. */
function age(ms: number, ...paths: readonly string[]): void {
  const then = new Date(Date.now() - ms);
  for (const path of paths) utimesSync(path, then, then);
}

it('what is past its date goes, with its row and its number; what is not can be read to its last record', async () => {
  const folder = newFolder();
  await stored(folder, 1, { page: 1 });
  const longer = await stored(folder, 30, { page: 2 });
  const { sweep } = resultsFolder(folder, { sweepAtStart: false });
  expect(await sweep()).toMatchObject({ expired: 0, leftOver: 0, complete: true });
  const before = filesOf(folder).length;
  const swept = await sweep({ now: new Date(Date.now() + 2 * day) });
  expect(swept).toMatchObject({ expired: 1, leftOver: 0, complete: true });
  expect(swept.bytes).toBeGreaterThan(50_000);
  expect(filesOf(folder).length).toBe(before / 2);
  const { text } = await longer.references.read(longer.run, { ref: longer.ref, offset: 1_999 });
  expect(text).toContain('the last one');
  const list = await longer.references.list(longer.run, {});
  expect(JSON.parse(list.text)).toMatchObject({ total: 1 });
  // Nothing is left to remember.
  await sweep({ now: new Date(Date.now() + 31 * day) });
  expect(filesOf(folder)).toEqual([]);
});

it('a body without a commit record and a draft go when they are a day old; somebody’s work of today stays', async () => {
  const folder = newFolder();
  const left = await stored(folder, 30, { page: 1 });
  const young = await stored(folder, 30, { page: 2 });
  for (const each of [left, young]) rmSync(join(each.folder, 'index'));
  const whole = await stored(folder, 30, { page: 3 });
  const drafts = [
    join(whole.folder, 'index.0123456789abcdef.draft'),
    join(young.folder, 'body.fedcba9876543210.draft'),
  ];
  for (const draft of drafts) writeFileSync(draft, 'half of it');
  age(2 * day, ...filesOf(left.folder), left.folder, drafts[0] as string);
  const { sweep } = resultsFolder(folder, { sweepAtStart: false });
  expect(await sweep()).toMatchObject({ expired: 0, leftOver: 2, complete: true });
  const names = (each: { readonly folder: string }) => {
    try {
      return readdirSync(each.folder).sort();
    } catch {
      return null;
    }
  };
  expect(names(left)).toBeNull();
  expect(names(young)).toEqual(['body', 'body.fedcba9876543210.draft', 'body.json']);
  expect(names(whole)).toEqual(['body', 'body.json', 'index']);
});

it('many sweeps beside writers and readers: nothing that is valid is lost, nobody fails', async () => {
  const folder = newFolder();
  for (let page = 0; page < 10; page += 1) await stored(folder, 1, { page });
  const now = new Date(Date.now() + 2 * day);
  const sweeps = Array.from({ length: 4 }, () => resultsFolder(folder, { sweepAtStart: false }).sweep({ now }));
  const written = await Promise.all(Array.from({ length: 10 }, (_, page) => stored(folder, 30, { page: page + 100 })));
  const swept = await Promise.all(sweeps);
  await resultsFolder(folder, { sweepAtStart: false }).sweep({ now });
  expect(Math.max(...swept.map(({ expired }) => expired))).toBeGreaterThan(0);
  for (const { references, run, ref } of written) {
    expect((await references.read(run, { ref, offset: 1_999 })).text).toContain('the last one');
  }
  expect(filesOf(join(folder, 'results')).filter((name) => name.endsWith('body'))).toHaveLength(10);
});

it('a sweep with a bound ends and says so; opening the folder sweeps by itself', async () => {
  const folder = newFolder();
  const left = await stored(folder, 30);
  rmSync(join(left.folder, 'index'));
  age(2 * day, ...filesOf(left.folder), left.folder);
  expect(await resultsFolder(folder, { sweepAtStart: false }).sweep({ maxMs: 0 })).toMatchObject({
    leftOver: 0,
    complete: false,
  });
  expect(await resultsFolder(folder).swept).toMatchObject({ leftOver: 1, complete: true });
});
