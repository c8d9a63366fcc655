import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { BedrockModel } from '../../aws/bedrock-model.ts';
import type { Message } from '../../core/content/block.ts';
import { guardedModel } from '../../core/guard/guarded-model.ts';
import { prefixDigest } from '../../core/guard/prefix-digest.ts';
import { type ModelServer, startModelServer } from '../../local/model-server/server.ts';
import { ask, call, memoryPutAway, memoryReplacements, options, request, result, rows } from '../unit/guard/memory.ts';

const modelId = 'scripted.claimcheck-v1:0:60k';
let server: ModelServer;
let client: BedrockRuntimeClient;

beforeAll(async () => {
  server = await startModelServer();
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
});

it('results that together exceed the window: the same prefix over ten further calls, read from the model’s cache', async () => {
  const replacements = memoryReplacements();
  // Each fits alone; together they are three times what the model takes.
  const history: Message[] = [ask('Compare the three lists.')];
  for (const id of ['one', 'two', 'three']) history.push(call(id), result(id, rows(60_000, id)));
  const prefix = history.length;
  const lines: string[] = [];
  const digests = new Set<string>();
  let before: { readonly read: number; readonly written: number; readonly replaced: number } | undefined;
  for (let turn = 1; turn <= 11; turn += 1) {
    // A guard of its own each time, as in another invocation: what is known comes from the run alone.
    const guarded = guardedModel(new BedrockModel(client), options(replacements));
    const wanted = request([...history], {
      modelId,
      system: [{ text: 'Answer from the lists.' }, { cachePoint: { type: 'default' } }],
      cacheTools: true,
    });
    const place = { runId: 'r', turn, windowTokens: 60_000, putAway: memoryPutAway() };
    const { reply, sent } = await guarded.converse(wanted, place);
    const digest = prefixDigest(sent, prefix);
    digests.add(digest);
    const { cacheReadInputTokens: read, cacheWriteInputTokens: written, inputTokens } = reply.usage;
    const replaced = replacements.list.length;
    lines.push(
      `call ${turn}: prefix ${digest.slice(0, 16)} replaced ${replaced} cache read ${read} written ${written}`,
    );
    expect(replaced).toBeGreaterThan(0);
    if (before !== undefined) {
      expect(replaced).toBeGreaterThanOrEqual(before.replaced);
      // All that the call before has written is read by this one: nothing of it was changed.
      expect(read).toBe(before.read + before.written);
      expect(inputTokens).toBeLessThan(written + read);
    }
    before = { read, written, replaced };
    history.push(call(`next-${turn}`), result(`next-${turn}`, rows(2_000, `next ${turn}`)));
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  expect(digests.size).toBe(1);
  expect(before?.read).toBeGreaterThan(1_024);
});

it('a replacement that changes costs the cache: the check above would see it', async () => {
  const history = [ask('Compare.'), call('one'), result('one', rows(30_000))];
  const usages = [];
  for (const tag of ['first', 'second']) {
    const model = guardedModel(new BedrockModel(client), options());
    const changed = [...history.slice(0, 2), result('one', rows(30_000, tag)), call('more'), result('more', 'ok')];
    const wanted = request(changed, { modelId, cacheTools: true });
    const { reply } = await model.converse(wanted, {
      runId: tag,
      turn: 1,
      windowTokens: 60_000,
      putAway: memoryPutAway(),
    });
    usages.push(reply.usage);
  }
  expect(usages.map(({ cacheReadInputTokens }) => cacheReadInputTokens)).toEqual([0, 0]);
  expect(usages[1]?.cacheWriteInputTokens).toBeGreaterThan(1_024);
});
