import { readFileSync } from 'node:fs';
import path from 'node:path';
import { groupsOf } from '../../../core/identity/group-claim.ts';

const { rows } = JSON.parse(readFileSync(path.join(__dirname, '../../fixtures/cases/group-claims.json'), 'utf8')) as {
  rows: { claim: unknown; groups: string[] }[];
};

test.each(rows.map((row) => [row.claim, row.groups] as const))('%j is read as the groups %j', (claim, groups) => {
  expect(groupsOf(claim)).toEqual(groups);
});

test('no reading turns part of a name into the role admin', () => {
  for (const claim of [
    '[notadmin]',
    '[admin-readonly]',
    'notadmin',
    'xadmin,yadmin',
    '[ad min',
    'admin]',
    '[[admin]]',
  ]) {
    expect(groupsOf(claim)).not.toContain('admin');
  }
});

test('shapes that nobody documents give no role', () => {
  for (const claim of [undefined, 7, true, { admin: true }, { 0: 'admin' }, '[1, 2', ['', '  ']]) {
    expect(groupsOf(claim)).toEqual([]);
  }
  expect(groupsOf(['ops', 7, null, 'ops'])).toEqual(['ops']);
});

test('three hundred groups are all read, the last one too', () => {
  const groups = Array.from({ length: 300 }, (_, number) => `team-${number}`);
  expect(groupsOf([...groups, 'tail']).at(-1)).toBe('tail');
  expect(groupsOf(`[${groups.join(' ')} tail]`).at(-1)).toBe('tail');
});
