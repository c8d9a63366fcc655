import { parseRequest } from '../../../core/analysis/analysis-request.ts';

const refusal = (input: Record<string, unknown>): string => {
  try {
    parseRequest(input, ['data']);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

test.each(['owner', 'session', 'roles', 'runId', 'python', '__proto__', 'constructor'])(
  '%s is no argument of an analysis',
  (name) => {
    const input = JSON.parse(`{"sql":"SELECT 1","${name}":"bob"}`) as Record<string, unknown>;
    expect(refusal(input)).toBe(`${name}: there is no such argument`);
  },
);

test('of what was written where a name belongs no more is told than a name has', () => {
  for (const before of ['', 'x']) {
    const message = refusal({ sql: 'SELECT 1', [`${before}${'\u{1f600}'.repeat(50)} SECRET`]: 1 });
    expect(message.length).toBeLessThan(100);
    expect(message).not.toMatch(/\p{Surrogate}|SECRET/u);
  }
});

test.each(['sql', 'script', 'python'])('a %s with a character that ends a text', (kind) => {
  const given = { [kind]: 'SELECT 1\0 FROM nothing' };
  const message = `${kind}: expected a text without the character U+0000`;
  expect(() => parseRequest(given, ['data'], true)).toThrow(message);
});
