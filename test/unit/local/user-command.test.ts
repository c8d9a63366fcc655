import { carryOut, userCommand } from '../../../local/user-command.ts';

test.each([
  [['token', 'olivia'], { what: 'token', user: 'olivia' }],
  [['take', 'olivia', 'ops'], { what: 'take', user: 'olivia', role: 'ops' }],
  [['give', 'arthur', 'ops'], { what: 'give', user: 'arthur', role: 'ops' }],
])('%j is understood', (args, command) => {
  expect(userCommand(args)).toEqual(command);
});

test.each([
  [[], 'COMMAND: expected token, take or give, found nothing'],
  [['login', 'olivia'], 'COMMAND: expected token, take or give, found login'],
  [['token'], 'USER: expected one of olivia, arthur, found nothing'],
  [['token', 'constructor'], 'USER: expected one of olivia, arthur, found constructor'],
  [['token', 'olivia', 'ops'], 'ROLE: expected none with token, found ops'],
  [['take', 'olivia'], 'ROLE: expected a role to take'],
  [['take', 'olivia', 'ops', 'more'], 'more: not expected; known are COMMAND, USER, ROLE'],
])('%j ends with 2 and says why', (args, complaint) => {
  const said: string[] = [];
  const ended = new Error('ended');
  jest.spyOn(process.stderr, 'write').mockImplementation((text: unknown) => said.push(String(text)) > 0);
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
    throw ended;
  });
  expect(() => userCommand(args)).toThrow(ended);
  expect(exit).toHaveBeenCalledWith(2);
  expect(said.join('')).toContain(`user: ${complaint}\n`);
  jest.restoreAllMocks();
});

test('a token is printed; a role is changed without a word', async () => {
  const calls: unknown[] = [];
  const users = {
    token: async (...asked: unknown[]) => {
      calls.push(['token', ...asked]);
      return 'a.b.c';
    },
    take: async (...asked: unknown[]) => void calls.push(['take', ...asked]),
    give: async (...asked: unknown[]) => void calls.push(['give', ...asked]),
  };
  const passwords = { olivia: 'secret' };
  expect(await carryOut({ what: 'token', user: 'olivia' }, users, passwords)).toBe('a.b.c\n');
  expect(await carryOut({ what: 'take', user: 'olivia', role: 'ops' }, users, passwords)).toBe('');
  expect(await carryOut({ what: 'give', user: 'arthur', role: 'ops' }, users, passwords)).toBe('');
  expect(calls).toEqual([
    ['token', 'olivia', 'secret'],
    ['take', 'olivia', 'ops'],
    ['give', 'arthur', 'ops'],
  ]);
});
