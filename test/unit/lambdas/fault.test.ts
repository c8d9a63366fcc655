import { fault, nameOf, placeOf } from '../../../lambdas/fault.ts';

const secret = 'ada@secret.example';
/** What a function's environment really throws: each message quotes what it met. */
const met: readonly (readonly [string, () => unknown])[] = [
  ['a parser that quotes the text', () => JSON.parse(`{"owner": ${secret}}`)],
  [
    'AWS, which names the role and the account',
    () => {
      throw Object.assign(new Error(`User: arn:aws:sts::123456789012:assumed-role/${secret} is not authorized`), {
        name: 'AccessDeniedException',
        $metadata: { requestId: 'f00-1' },
      });
    },
  ],
  [
    'a message with lines that read like frames',
    () => {
      throw new Error(`bad\n    at ${secret} (row 1)\n    at ${secret} (row 2)`);
    },
  ],
  [
    'an error whose name is a sentence',
    () => {
      throw Object.assign(new Error(''), { name: `row of ${secret}` });
    },
  ],
  [
    'a text',
    () => {
      throw secret;
    },
  ],
  [
    'nothing',
    () => {
      throw undefined;
    },
  ],
];

it.each(met)('says what broke and where, and nothing that was met: %s', (_name, work) => {
  let thrown: unknown;
  try {
    work();
  } catch (error) {
    thrown = error;
  }
  const left = fault(thrown);
  const told = [left.name, left.message, left.stack, String(left.cause), nameOf(thrown), placeOf(thrown)].join('\n');
  expect(left).toBeInstanceOf(Error);
  expect(told).not.toContain('secret.example');
  expect(told).not.toContain('arn:');
  if (thrown instanceof Error) expect(left.stack).toMatch(/\n\s+at .*fault\.test/);
});

it('keeps the class and the request that AWS’s support asks for', () => {
  const error = Object.assign(new Error('x'), { name: 'AccessDeniedException', $metadata: { requestId: 'f00-1' } });
  expect(fault(error).message).toMatch(/^AccessDeniedException \(request f00-1\) at /);
});
