import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BedrockRuntimeClient, ConverseCommand, ValidationException } from '@aws-sdk/client-bedrock-runtime';
import { type ModelServer, startModelServer } from '../../../local/model-server/server.ts';

let folder: string;
let server: ModelServer;
let client: BedrockRuntimeClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-server-'));
  server = await startModelServer({ record: join(folder, 'requests.jsonl') });
  client = new BedrockRuntimeClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
});

afterAll(async () => {
  client.destroy();
  await server.stop();
  await rm(folder, { recursive: true });
});

const toolConfig = { tools: [{ toolSpec: { name: 'flights', inputSchema: { json: { type: 'object' } } } }] };
const question = { role: 'user' as const, content: [{ text: 'How many flights?' }] };

test('the SDK reads a reply: the call, the stop reason, the usage', async () => {
  const reply = await client.send(
    new ConverseCommand({ modelId: 'scripted.claimcheck-v1:0', messages: [question], toolConfig }),
  );
  expect(reply.stopReason).toBe('tool_use');
  expect(reply.output?.message?.content?.[0]?.toolUse).toMatchObject({ name: 'flights', input: {} });
  expect(reply.usage?.inputTokens).toBeGreaterThan(10);
});

test('the SDK makes a ValidationException of a refusal, with the wording', async () => {
  const blank = { role: 'user' as const, content: [{ text: ' ' }] };
  const refusal = await client.send(new ConverseCommand({ modelId: 'm', messages: [blank] })).catch((error) => error);
  expect(refusal).toBeInstanceOf(ValidationException);
  expect(refusal.message).toMatch(/messages\.0\.content\.0 is blank/);
});

test('a window named by the model id is kept to', async () => {
  const long = { role: 'user' as const, content: [{ text: 'word '.repeat(3_000) }] };
  const refusal = client.send(new ConverseCommand({ modelId: 'scripted.claimcheck-v1:0:2k', messages: [long] }));
  await expect(refusal).rejects.toThrow('Input is too long for requested model.');
});

test('every request is recorded with its outcome', async () => {
  const before = lines().length;
  await client.send(new ConverseCommand({ modelId: 'recorded', messages: [question], toolConfig }));
  await client.send(new ConverseCommand({ modelId: 'recorded', messages: [] })).catch(() => {});
  const [taken, refused] = lines().slice(before);
  expect(taken).toMatchObject({
    modelId: 'recorded',
    request: { messages: [question] },
    reply: { stopReason: 'tool_use' },
  });
  expect(refused).toMatchObject({ refusal: { name: 'ValidationException' } });
});

function lines(): readonly unknown[] {
  return readFileSync(join(folder, 'requests.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}
