import { loadConfig } from '../../lib/config.ts';
import { modelStatements } from '../../lib/statements.ts';

const own = { windowTokens: 200_000, maxTokens: 4_096, cachePoints: true };
const rights = (models: Readonly<Record<string, object>>) =>
  modelStatements(loadConfig({ 'claimcheck.models': models })).map(
    (statement) => statement.toStatementJson() as object,
  );

test('a model is called by the one action that its way needs: streamed ones by no other', () => {
  const [called, streamed, ...others] = rights({
    '*': { modelId: 'amazon.nova-pro-v1:0', ...own },
    writer: { modelId: 'amazon.nova-lite-v1:0', ...own, stream: true },
  });
  expect(others).toEqual([]);
  expect(called).toMatchObject({ Action: 'bedrock:InvokeModel' });
  expect(JSON.stringify(called)).toContain('amazon.nova-pro-v1:0');
  expect(JSON.stringify(called)).not.toContain('nova-lite');
  expect(streamed).toMatchObject({ Action: 'bedrock:InvokeModelWithResponseStream' });
  expect(JSON.stringify(streamed)).toContain('amazon.nova-lite-v1:0');
  expect(JSON.stringify(streamed)).not.toContain('nova-pro');
});

test('nothing is granted for streaming where no model streams', () => {
  expect(rights({ '*': { modelId: 'amazon.nova-pro-v1:0', ...own, stream: false } })).toMatchObject([
    { Action: 'bedrock:InvokeModel' },
  ]);
});
