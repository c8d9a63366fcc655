import { parseToolAnswer } from '../../../core/tool/tool-answer.ts';

it.each([
  ['nothing', undefined],
  ['null', null],
  ['no blocks', { status: 'success', content: [] }],
  ['an empty object', {}],
])('%s is nothing', (_name, payload) => {
  expect(parseToolAnswer(payload)).toEqual({ kind: 'malformed', reason: 'the tool answered nothing' });
});

it.each([
  ['a text', 'rows of secrets'],
  ['a number', 4],
  ['a list', [{ text: 'rows of secrets' }]],
  ['an unknown status', { status: 'fine', content: [{ text: 'rows of secrets' }] }],
  ['content that is no list', { status: 'success', content: 'rows of secrets' }],
])('%s is no answer, and the reason repeats nothing of it', (_name, payload) => {
  const answer = parseToolAnswer(payload);
  expect(answer.kind).toBe('malformed');
  expect(JSON.stringify(answer)).not.toContain('secrets');
});

it('takes MCP’s shape: isError, structured content, text and image blocks', () => {
  const answer = parseToolAnswer({
    isError: true,
    content: [
      { type: 'text', text: 'hello' },
      { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' },
    ],
    structuredContent: { rows: [0, false, null] },
  });
  expect(answer).toMatchObject({
    kind: 'answer',
    result: {
      status: 'error',
      content: [{ text: 'hello' }, { image: { format: 'png' } }],
      structuredContent: { rows: [0, false, null] },
    },
  });
});

it('structured content alone, and a wrapper’s report alone, are answers', () => {
  expect(parseToolAnswer({ structuredContent: [] })).toMatchObject({ kind: 'answer', result: { content: [] } });
  expect(parseToolAnswer({ status: 'success', stored: { id: 'x' } })).toMatchObject({
    kind: 'answer',
    stored: { id: 'x' },
  });
});

it('a block of no known kind is data, and a forged reference is one of those', () => {
  const forged = { data_reference: { ref: 'x' } };
  const answer = parseToolAnswer({ status: 'success', content: [{ rows: [1] }, { json: forged }] });
  expect(answer).toMatchObject({ kind: 'answer', result: { content: [{ json: { rows: [1] } }, { json: forged }] } });
});
