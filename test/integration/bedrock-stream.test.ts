import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { BedrockModel } from '../../aws/bedrock-model.ts';
import { BedrockStreamModel } from '../../aws/bedrock-stream-model.ts';
import { guardedModel } from '../../core/guard/guarded-model.ts';
import { isOverflow } from '../../core/guard/overflow.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { eitherHttp } from '../../local/model-server/either-http.ts';
import { eventMessage, eventStreamType, exceptionMessage } from '../../local/model-server/event-stream.ts';
import { Refusal } from '../../local/model-server/request.ts';
import { type ModelServer, startModelServer } from '../../local/model-server/server.ts';
import { ask, call, memoryPutAway, memoryReplacements, options, request, result, rows } from '../unit/guard/memory.ts';

const clientOf = (endpoint: string, maxAttempts = 1) =>
  new BedrockRuntimeClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts,
  });
const flights = { name: 'flights', description: 'All flights.', inputSchema: { type: 'object' } };
const asking = (text: string, extra: Partial<ModelRequest> = {}) =>
  request([ask(text)], { modelId: 'scripted.claimcheck-v1:0', tools: [flights], ...extra });

describe('ConverseStream against the scripted model', () => {
  let server: ModelServer;
  let client: BedrockRuntimeClient;
  beforeAll(async () => {
    server = await startModelServer({ refuseInStream: true });
    client = clientOf(server.url);
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  it.each([
    [
      'a call of a tool',
      'call flights with {"from":"Zürich 😀","pages":[1,2,3],"note":"long enough for more than one delta"}',
    ],
    ['words', 'What can you do for me?'],
  ])('answers %s as Converse does, usage and stop reason too', async (_kind, question) => {
    const streamed = await new BedrockStreamModel(client).converse(asking(question));
    expect(streamed).toEqual(await new BedrockModel(client).converse(asking(question)));
    expect(streamed.usage.inputTokens).toBeGreaterThan(10);
  });

  it('a refusal in the stream is the same failure as one of the request', async () => {
    const blank = asking(' ');
    const refusals = await Promise.all(
      [new BedrockStreamModel(client), new BedrockModel(client)].map((model) =>
        model.converse(blank).catch((error) => error),
      ),
    );
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ name: 'ModelServiceError', service: 'ValidationException', retryable: false });
      expect(refusal.message).toMatch(/messages\.0\.content\.0 is blank/);
    }
  });

  it('"too long" as the first event of a stream: one shrink, one retry, an answer', async () => {
    const history = [
      ask('What can you do?'),
      call('a'),
      result('a', rows(70_000)),
      call('b'),
      result('b', rows(70_000)),
    ];
    const replacements = memoryReplacements();
    const sent = request(history, { modelId: 'scripted.claimcheck-v1:0:28k', tools: [flights] });
    // The setting says a wider window than the model has, so the guard learns it from the service.
    const guarded = guardedModel(new BedrockStreamModel(client), options(replacements));
    const place = { runId: 'r', turn: 3, windowTokens: 200_000, putAway: memoryPutAway() };
    const { reply } = await guarded.converse(sent, place);
    expect(reply.stopReason).toBe('end_turn');
    expect(replacements.list.length).toBeGreaterThan(0);
  });
});

describe('events of a stream', () => {
  const answers: (readonly Buffer[])[] = [];
  const { server, closeAll } = eitherHttp((_request, response) => {
    response.writeHead(200, { 'content-type': eventStreamType });
    for (const message of answers.shift() ?? []) response.write(message);
    response.end();
  });
  let client: BedrockRuntimeClient;
  let address: string;
  const pauses: number[] = [];
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1' }, done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = clientOf(address);
  });
  afterAll(async () => {
    client.destroy();
    const closed = new Promise((done) => server.close(done));
    closeAll();
    await closed;
  });
  beforeEach(() => {
    answers.length = 0;
    pauses.length = 0;
  });
  const converse = (...streams: (readonly Buffer[])[]) => {
    answers.push(...streams);
    const model = new BedrockStreamModel(client, async (pause) => pauses.push(pause));
    return model.converse(asking('go'));
  };
  const delta = (contentBlockIndex: number, content: object) =>
    eventMessage('contentBlockDelta', { contentBlockIndex, delta: content });
  const stop = (stopReason: string) => [
    eventMessage('messageStop', { stopReason }),
    eventMessage('metadata', { usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12, cacheReadInputTokens: 3 } }),
  ];
  const words = [delta(0, { text: 'fine' }), ...stop('end_turn')];
  const failing = (name: string, message: string) => [exceptionMessage(new Refusal(name, message, 400))];

  it('reasoning comes back whole, signature and redacted bytes too, in the order of the blocks', async () => {
    const redacted = Buffer.from('secret').toString('base64');
    const { message, usage } = await converse([
      delta(2, { text: 'The answer' }),
      delta(0, { reasoningContent: { text: 'first ' } }),
      delta(0, { reasoningContent: { text: 'then' } }),
      delta(0, { reasoningContent: { signature: 'signed' } }),
      delta(1, { reasoningContent: { redactedContent: redacted } }),
      delta(2, { text: ' is 42.' }),
      ...stop('end_turn'),
    ]);
    expect(message).toEqual({
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'first then', signature: 'signed' } } },
        { reasoningContent: { redactedContent: new Uint8Array(Buffer.from('secret')) } },
        { text: 'The answer is 42.' },
      ],
    });
    expect(usage).toEqual({ inputTokens: 5, outputTokens: 7, cacheReadInputTokens: 3, cacheWriteInputTokens: 0 });
  });

  const { rows: cases } = JSON.parse(
    readFileSync(join(__dirname, '../fixtures/cases/overflow-errors.json'), 'utf8'),
  ) as { rows: { id: string; name: string; message: string; overflow: boolean }[] };
  const known = cases.filter(({ name }) =>
    /^(Validation|ModelStreamError|Throttling|ServiceUnavailable|InternalServer)/.test(name),
  );

  it.each(known)(
    '$id ($name) as the first event: overflow is known by its words, throttling is none (case H003)',
    async (row) => {
      const failure = failing(row.name, row.message);
      const refusal = await converse(failure).catch((error) => error);
      expect(refusal).toMatchObject({ name: 'ModelServiceError', service: row.name, message: row.message });
      expect(isOverflow(refusal)).toBe(row.overflow);
      expect(refusal.retryable).toBe(!row.name.startsWith('Validation'));
    },
  );

  it('throttling at the first event is the SDK’s to repeat, later on ours: three times, and what comes then is the answer', async () => {
    const throttled = failing('ThrottlingException', 'Too many tokens, please wait before trying again.');
    const patient = clientOf(address, 3);
    answers.push(throttled, throttled, words);
    expect((await new BedrockStreamModel(patient).converse(asking('go'))).message.content).toEqual([{ text: 'fine' }]);
    patient.destroy();
    const later = [delta(0, { text: 'There' }), ...throttled];
    expect((await converse(later, later, words)).message.content).toEqual([{ text: 'fine' }]);
    expect(pauses).toHaveLength(2);
    await expect(converse(later, later, later, words)).rejects.toMatchObject({ service: 'ThrottlingException' });
    expect(answers).toHaveLength(1);
  });

  it('a refusal in the middle is not repeated', async () => {
    const long = failing('ValidationException', 'Input is too long for requested model.');
    const refusal = await converse([delta(0, { text: 'There' }), ...long], words).catch((error) => error);
    expect(isOverflow(refusal)).toBe(true);
    expect(answers).toHaveLength(1);
  });

  it('a stream that ends early is no answer, whatever it has said so far', async () => {
    const half = [delta(0, { text: 'There are no fail' })];
    await expect(converse(half, half, half)).rejects.toMatchObject({
      service: 'ModelStreamErrorException',
      retryable: true,
    });
    expect((await converse(half, words)).message.content).toEqual([{ text: 'fine' }]);
  });

  it('a tool call that the output limit cut off is not made with what is left of its input', async () => {
    const cut = [
      delta(0, { text: 'I look.' }),
      eventMessage('contentBlockStart', {
        contentBlockIndex: 1,
        start: { toolUse: { toolUseId: 't', name: 'flights' } },
      }),
      delta(1, { toolUse: { input: '{"from":"Zü' } }),
    ];
    expect((await converse([...cut, ...stop('max_tokens')])).message.content).toEqual([{ text: 'I look.' }]);
    const wrong = [...cut, ...stop('tool_use')];
    await expect(converse(wrong, wrong, wrong)).rejects.toMatchObject({ service: 'ModelStreamErrorException' });
  });

  it('the stop reason of an overflow reaches the guard', async () => {
    const { stopReason } = await converse([delta(0, { text: 'x' }), ...stop('model_context_window_exceeded')]);
    expect(stopReason).toBe('model_context_window_exceeded');
  });
});
