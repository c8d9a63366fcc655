import { pathIds } from '../../../core/http/path-ids.ts';

const a = 'a'.repeat(32);
const b = 'b'.repeat(32);

test.each([
  [`/runs/${a}`, { runId: a }],
  [`/chats/${a}`, { session: a }],
  [`/exports/${a}`, { export: a }],
  [`/results/${a}/${b}`, { session: a, ref: `${a}/${b}` }],
  [`/results/${a}/${b}/view`, { session: a, ref: `${a}/${b}` }],
])('%s names its ids', (path, ids) => expect(pathIds(path)).toEqual(ids));

test.each([
  '/',
  '/runs',
  '/runs/my-secret-question',
  `/runs/${a.toUpperCase()}`,
  `/runs/${a}x`,
  `/results/${a}/ada@example.org`,
  `/results/ada/${b}`,
  `/console/${a}`,
])('%s names none: what is no id is nobody’s business', (path) => expect(pathIds(path)).toEqual({}));
