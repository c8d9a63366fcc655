import { refuseWhatTheServiceRefuses } from '../../../local/model-server/refusals.ts';
import type { ConverseRequest, WireBlock, WireMessage } from '../../../local/model-server/request.ts';
import { parseRequest, type Refusal } from '../../../local/model-server/request.ts';

const tools = [{ toolSpec: { name: 'flights', description: 'Flights.', inputSchema: { json: { type: 'object' } } } }];
const user = (...content: WireBlock[]): WireMessage => ({ role: 'user', content });
const assistant = (...content: WireBlock[]): WireMessage => ({ role: 'assistant', content });
const use = (toolUseId: string): WireBlock => ({ toolUse: { toolUseId, name: 'flights', input: {} } });
const answer = (toolUseId: string, ...content: WireBlock[]): WireBlock => ({
  toolResult: { toolUseId, status: 'success', content: content.length === 0 ? [{ text: 'done' }] : content },
});
const good: ConverseRequest = {
  modelId: 'scripted.claimcheck-v1:0',
  system: [{ text: 'Be exact.' }],
  messages: [
    user({ text: 'Flights?' }),
    assistant(use('a'), use('b')),
    user(answer('b'), answer('a'), { text: 'Go on.' }),
  ],
  tools,
  maxTokens: 1000,
};
const withMessages = (...messages: WireMessage[]): ConverseRequest => ({ ...good, messages });
const refusalOf = (request: ConverseRequest, windowTokens = 200_000): Refusal | undefined => {
  try {
    refuseWhatTheServiceRefuses(request, windowTokens);
    return undefined;
  } catch (error) {
    return error as Refusal;
  }
};

test('takes a request with parallel calls answered in one message, in any order', () => {
  expect(refusalOf(good)).toBeUndefined();
});

const question = user({ text: 'Flights?' });
const rows: readonly [string, ConverseRequest, RegExp][] = [
  ['no message', withMessages(), /must start with a user message/],
  ['assistant first', withMessages(assistant({ text: 'Hello.' }), question), /must start with a user message/],
  ['two user messages', withMessages(question, question), /must alternate between user and assistant/],
  ['ends with the assistant', withMessages(question, assistant({ text: 'Well' })), /must end with a user message/],
  [
    'blank text',
    withMessages(user({ text: ' \n' })),
    /text field in the ContentBlock object at messages\.0\.content\.0 is blank/,
  ],
  [
    'blank text in a tool result',
    withMessages(question, assistant(use('a')), user(answer('a', { text: '' }))),
    /is blank/,
  ],
  ['blank system text', { ...good, system: [{ text: '' }] }, /system\.0 is blank/],
  ['empty message', withMessages(user()), /content field in the Message object at messages\.0 is empty/],
  [
    'array in json',
    withMessages(question, assistant(use('a')), user(answer('a', { json: [1] }))),
    /toolResult\.content\.0\.json is invalid/,
  ],
  [
    'scalar in json',
    withMessages(question, assistant(use('a')), user(answer('a', { json: 0 }))),
    /Provide a json object/,
  ],
  [
    'null in json',
    withMessages(question, assistant(use('a')), user(answer('a', { json: null }))),
    /Provide a json object/,
  ],
  [
    'call with a list as input',
    withMessages(question, assistant({ toolUse: { toolUseId: 'a', name: 'flights', input: [] } }), user(answer('a'))),
    /toolUse\.input is invalid/,
  ],
  [
    'call without answer',
    withMessages(question, assistant(use('a'), use('b')), user(answer('a'))),
    /Expected toolResult blocks at messages\.2\.content for the following Ids: b/,
  ],
  [
    'call answered by text',
    withMessages(question, assistant(use('a')), user({ text: 'It said: done' })),
    /Expected toolResult blocks/,
  ],
  [
    'answer without call',
    withMessages(question, assistant({ text: 'Hm.' }), user(answer('a'))),
    /exceeds the number of toolUse blocks of previous turn/,
  ],
  [
    'answer too many',
    withMessages(question, assistant(use('a')), user(answer('a'), answer('b'))),
    /exceeds the number/,
  ],
  [
    'answer after text',
    withMessages(question, assistant(use('a')), user({ text: 'Here:' }, answer('a'))),
    /without `tool_result` blocks immediately after/,
  ],
  [
    'id used twice',
    withMessages(question, assistant(use('a')), user(answer('a')), assistant(use('a')), user(answer('a'))),
    /ids must be unique/,
  ],
  ['bad call id', withMessages(question, assistant(use('a b')), user(answer('a b'))), /failed to satisfy constraint/],
  [
    'failed result without content',
    withMessages(question, assistant(use('a')), user({ toolResult: { toolUseId: 'a', status: 'error', content: [] } })),
    /cannot be empty when status value is error/,
  ],
  [
    'call in a result',
    withMessages(question, assistant(use('a')), user(answer('a', use('b')))),
    /must set one of: text, json/,
  ],
  ['two members in a block', withMessages(user({ text: 'a', json: {} })), /must set one of the following keys/],
  ['no tools though calls are there', { ...good, tools: [] }, /toolConfig field must be defined/],
  [
    'tool name with a blank',
    { ...good, tools: [{ toolSpec: { name: 'a b', inputSchema: { json: { type: 'object' } } } }] },
    /toolSpec\.name/,
  ],
  ['tools of the same name', { ...good, tools: [...tools, ...tools] }, /unique names/],
  [
    'input schema that is no object',
    { ...good, tools: [{ toolSpec: { name: 'a', inputSchema: { json: { type: 'array' } } } }] },
    /must be one of the following: object/,
  ],
  [
    'five cache points',
    { ...good, system: [{ text: 'a' }, ...Array.from({ length: 5 }, () => ({ cachePoint: { type: 'default' } }))] },
    /maximum of 4 blocks/,
  ],
  [
    'unknown image format',
    withMessages(user({ image: { format: 'bmp', source: { bytes: 'AA==' } } })),
    /enum value set/,
  ],
];

test.each(rows)('refuses: %s', (_name, request, message) => {
  const refusal = refusalOf(request);
  expect(refusal?.name).toBe('ValidationException');
  expect(refusal?.message).toMatch(message);
});

test.each(['report.pdf', 'Q3 — figures', 'two  spaces', '', 'x'.repeat(201), 'tab\t\tname'])(
  'refuses the document name %j',
  (name) => {
    const document = { document: { format: 'pdf', name, source: { bytes: 'AA==' } } };
    expect(refusalOf(withMessages(user({ text: 'See' }, document)))?.message).toMatch(/document file name/);
  },
);

test('refuses two documents of one name, one of them in a tool result', () => {
  const document = { document: { format: 'pdf', name: 'report', source: { bytes: 'AA==' } } };
  const request = withMessages(user({ text: 'See' }, document), assistant(use('a')), user(answer('a', document)));
  expect(refusalOf(request)?.message).toMatch(/unique names/);
});

test('refuses input over the window, and input that leaves no room for the answer, each in its own words', () => {
  const long = withMessages(user({ text: 'word '.repeat(3000) }));
  expect(refusalOf(long, 2_000)?.message).toBe('Input is too long for requested model.');
  expect(refusalOf(long, 3_500)?.message).toMatch(
    /input length and `max_tokens` exceed context limit: \d+ \+ 1000 > 3500/,
  );
  expect(refusalOf(long, 5_000)).toBeUndefined();
});

test('refuses a body that is no JSON or holds half a surrogate pair', () => {
  const body = (text: string) => `{"messages":[{"role":"user","content":[{"text":"${text}"}]}]}`;
  expect(() => parseRequest('m', '{')).toThrow(/not valid JSON/);
  expect(() => parseRequest('m', body('\\ud83d'))).toThrow(/unpaired surrogate/);
  expect(parseRequest('m', body('\\ud83d\\ude00')).messages).toHaveLength(1);
});
