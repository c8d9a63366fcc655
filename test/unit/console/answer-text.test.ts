import fc from 'fast-check';
import { answerBlocks } from '../../../console/answer-text.ts';

const textOf = (answer: string): string => JSON.stringify(answerBlocks(answer));

test('headings, lists, code and bold are read', () => {
  expect(
    answerBlocks('# Two\n\nA **b** `c`\nd\n- one\n- two\n\n1. first\n2) second\n```json\n{"a": 1}\n```\nend'),
  ).toEqual([
    { kind: 'heading', spans: [{ kind: 'text', text: 'Two' }] },
    {
      kind: 'paragraph',
      spans: [
        { kind: 'text', text: 'A ' },
        { kind: 'strong', text: 'b' },
        { kind: 'text', text: ' ' },
        { kind: 'code', text: 'c' },
        { kind: 'text', text: '\nd' },
      ],
    },
    { kind: 'list', ordered: false, items: [[{ kind: 'text', text: 'one' }], [{ kind: 'text', text: 'two' }]] },
    { kind: 'list', ordered: true, items: [[{ kind: 'text', text: 'first' }], [{ kind: 'text', text: 'second' }]] },
    { kind: 'code', text: '{"a": 1}' },
    { kind: 'paragraph', spans: [{ kind: 'text', text: 'end' }] },
  ]);
});

test('links and images stay the characters that they are', () => {
  for (const answer of [
    '[click](https://evil.example/x)',
    '![i](https://evil.example/p.png)',
    '<img src=x>',
    'https://e.example',
  ]) {
    expect(answerBlocks(answer)).toEqual([{ kind: 'paragraph', spans: [{ kind: 'text', text: answer }] }]);
  }
});

test('a code block that never ends is shown to its end', () => {
  expect(textOf('```\na\nthe tail')).toContain('the tail');
});

test('no words are lost', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }),
      fc.constantFrom('\n', '\n\n', ' ', '\n- '),
      (words, glue) => {
        const shown = textOf(words.join(glue));
        return words.every((word) => shown.includes(word));
      },
    ),
  );
});
