import { sessionThatLeaves } from '../../../adapters/mcp/session-room.ts';

const sessions = (...owners: readonly string[]) =>
  new Map(owners.map((owner, at) => [`${owner}${at}`, { run: { owner } }]));

it('of the owner who has the most, the one used longest ago makes room', () => {
  expect(sessionThatLeaves(sessions('ada', 'eve', 'ada', 'eve', 'eve', 'bob'))).toBe('eve1');
});

it('where all have as many, the one used longest ago of all', () => {
  expect(sessionThatLeaves(sessions('ada', 'eve', 'bob'))).toBe('ada0');
  expect(() => sessionThatLeaves(sessions())).toThrow('at least one');
});
