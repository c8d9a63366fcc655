import { readArguments } from '../../../local/command-line.ts';

test('without arguments: 60,000 records, seed 1, and it keeps running', () => {
  expect(readArguments([])).toMatchObject({ records: 60_000, seed: 1, once: false, agent: 'assistant' });
});

test('reads records, seed, question, port and --once', () => {
  const options = readArguments([
    '--records',
    '12345',
    '--seed',
    '7',
    '--question',
    'flights?',
    '--port',
    '5000',
    '--once',
  ]);
  expect(options).toMatchObject({ records: 12_345, seed: 7, question: 'flights?', port: 5000, once: true });
});

test.each([
  [['--records', '0'], /--records: expected a whole number from 1/],
  [['--records', '1e3'], /found 1e3/],
  [['--seed', '-1'], /seed/],
  [['--port', '80'], /--port: expected/],
  [['--colour'], /colour/],
])('refuses %j', (args, message) => {
  expect(() => readArguments(args)).toThrow(message);
});
