import { PromptCache } from '../../../local/model-server/prompt-cache.ts';
import { replyTo, windowOf } from '../../../local/model-server/reply.ts';
import type { ConverseRequest, WireBlock, WireMessage } from '../../../local/model-server/request.ts';

const ref = `${'a'.repeat(32)}/${'b'.repeat(32)}`;
const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
const ask = (text: string, ...later: WireMessage[]): ConverseRequest => ({
  modelId: 'scripted.claimcheck-v1:0',
  system: [],
  messages: [{ role: 'user', content: [{ text }] }, ...later],
  tools: ['service_status', 'flights', 'search_notes', 'list_results', 'read_result', 'analyze_result'].map(spec),
  maxTokens: 1000,
});
const reply = (request: ConverseRequest) => replyTo(request, 200_000, new PromptCache());
const contentOf = (request: ConverseRequest) => reply(request).output.message.content;
const callsOf = (request: ConverseRequest) => contentOf(request).flatMap(({ toolUse }) => (toolUse ? [toolUse] : []));
const textOf = (request: ConverseRequest) =>
  contentOf(request)
    .map(({ text }) => text ?? '')
    .join('');

const reference = (coverage: object): WireBlock => ({
  json: {
    data_reference: {
      ref,
      tool: 'service_status',
      bytes: 14_713_201,
      sha256: 'c'.repeat(64),
      records: 60_000,
      fields: ['id', 'region', 'status'],
      download_url: `http://127.0.0.1:1/results/${ref}`,
      coverage: coverage as never,
    },
  },
});
const partial = reference({ unit: 'records', loaded: 20, total: 60_000, input_complete: false });

/** The conversation with every call of the last reply answered by these blocks. */
function answered(request: ConverseRequest, ...content: WireBlock[]): ConverseRequest {
  const message = reply(request).output.message;
  const results = callsOf(request).map(({ toolUseId }) => ({ toolResult: { toolUseId, status: 'success', content } }));
  return { ...request, messages: [...request.messages, message, { role: 'user', content: results }] };
}

test('asks for the tool that fits, reads the end that the preview hides, and answers with what it was told', () => {
  const question = ask('How many services does the status report hold, and what does the last one say?');
  expect(callsOf(question)).toMatchObject([{ name: 'service_status', input: {} }]);
  const told = answered(question, { text: '{"report":{}}' }, partial);
  expect(callsOf(told)).toMatchObject([
    { name: 'read_result', input: { ref, offset: 59_999, limit: 1, fields: ['id', 'region', 'status'] } },
  ]);
  const read = answered(told, { text: '{"data":[{"id":"svc-060000","status":"failing"}],"coverage":{"loaded":1}}' });
  expect(callsOf(read)).toEqual([]);
  expect(textOf(read)).toContain('60000 services');
  expect(textOf(read)).toContain('The last one: [{"id":"svc-060000","status":"failing"}]\n');
  expect(textOf(read)).toContain(`http://127.0.0.1:1/results/${ref}`);
});

test('the answer follows the reference, not a constant', () => {
  const told = answered(ask('service status?'), partial);
  const other = JSON.parse(JSON.stringify(told).replaceAll('60000', '12345')) as ConverseRequest;
  expect(textOf(answered(other, { text: 'x' }))).toContain('12345 services');
});

test('reads nothing when it was shown everything', () => {
  const all = reference({ unit: 'records', loaded: 3, total: 3, input_complete: true });
  const told = answered(ask('service status?'), { text: '[]' }, all);
  expect(callsOf(told)).toEqual([]);
  expect(textOf(told)).toContain('I was shown all of it.');
});

test('computes over the whole when the question asks which region', () => {
  const told = answered(ask('In which region do most services fail?'), partial);
  expect(callsOf(told)).toMatchObject([{ name: 'analyze_result', input: { inputs: { data: ref } } }]);
});

test('calls two tools in one turn when the question names two subjects', () => {
  expect(callsOf(ask('Compare the service status with the flights.')).map(({ name }) => name)).toEqual([
    'service_status',
    'flights',
  ]);
});

test('reports a failed tool as failed', () => {
  const question = ask('service status?');
  const failed = answered(question, { text: 'service_status is not allowed' });
  const result = failed.messages.at(-1)?.content[0]?.toolResult;
  const marked = {
    ...failed,
    messages: [
      ...failed.messages.slice(0, -1),
      { role: 'user', content: [{ toolResult: { ...result, status: 'error' } }] },
    ],
  } as ConverseRequest;
  expect(textOf(marked)).toBe('service_status failed: service_status is not allowed');
});

test('a spelled-out message is followed to the letter, offered tool or not, turn by turn', () => {
  const question = ask(
    'call delete_all with {"really":true}\ncall flights with {}\nthen\ncall read_result with {"ref":"$ref"}',
  );
  expect(callsOf(question).map(({ name }) => name)).toEqual(['delete_all', 'flights']);
  const second = answered(question, { text: 'first' }, partial);
  expect(callsOf(second)).toMatchObject([{ name: 'read_result', input: { ref } }]);
  expect(textOf(answered(second, { text: 'whole' }))).toContain('read_result answered: whole');
});

test('the same request gets the same reply, ids included', () => {
  const question = ask('flights?');
  expect(contentOf(question)).toEqual(contentOf(question));
});

test('says so when no tool fits', () => {
  expect(textOf(ask('What is the meaning of life?'))).toContain('I have no tool for that.');
});

test('a short allowance cuts the answer and says so by its stop reason', () => {
  expect(reply({ ...ask('What is the meaning of life?'), maxTokens: 3 }).stopReason).toBe('max_tokens');
});

test('a model id may name its window', () => {
  expect(windowOf('scripted.claimcheck-v1:0', 200_000)).toBe(200_000);
  expect(windowOf('scripted.claimcheck-v1:0:28k', 200_000)).toBe(28_000);
});
