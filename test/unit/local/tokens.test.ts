import { PromptCache } from '../../../local/model-server/prompt-cache.ts';
import type { ConverseRequest, WireBlock } from '../../../local/model-server/request.ts';
import { countedPieces, sum, textTokens } from '../../../local/model-server/tokens.ts';

const ratio = (text: string) => text.length / textTokens(text);

test('counts as tokenizers do: prose over three characters a token, dense JSON about two, hex less, CJK about one', () => {
  const prose = 'The certificate on the standby site was replaced after the night run and nobody was affected. '.repeat(
    20,
  );
  const json = JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ id: `svc-${i}`, delay: i * 7, ok: true })));
  const hex = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'.repeat(10);
  expect(ratio(prose)).toBeGreaterThan(3);
  expect(ratio(json)).toBeGreaterThan(1.4);
  expect(ratio(json)).toBeLessThan(2.6);
  expect(ratio(hex)).toBeLessThan(1.7);
  expect(ratio('服务状态报告'.repeat(30))).toBeLessThan(1);
});

const point: WireBlock = { cachePoint: { type: 'default' } };
const request = (tail: readonly string[]): ConverseRequest => ({
  modelId: 'm',
  system: [{ text: 'Follow the rules. '.repeat(600) }, point],
  messages: [
    { role: 'user', content: [{ text: 'First question. '.repeat(300) }, point, ...tail.map((text) => ({ text }))] },
  ],
  tools: [],
  maxTokens: 100,
});

test('a prefix is written at its first use, read at the next, and the three counts add up to the input', () => {
  const cache = new PromptCache();
  const pieces = countedPieces(request(['one']));
  const total = sum(pieces.map(({ tokens }) => tokens));
  const first = cache.account('m', pieces);
  expect(first.cacheReadInputTokens).toBe(0);
  expect(first.cacheWriteInputTokens).toBeGreaterThan(1024);
  const second = cache.account('m', countedPieces(request(['one', 'two'])));
  expect(second.cacheReadInputTokens).toBe(first.cacheWriteInputTokens);
  expect(second.cacheWriteInputTokens).toBe(0);
  expect(first.inputTokens + first.cacheWriteInputTokens).toBe(total);
  expect(second.inputTokens).toBeGreaterThan(first.inputTokens);
});

test('a changed prefix and another model read nothing', () => {
  const cache = new PromptCache();
  cache.account('m', countedPieces(request([])));
  const changed = { ...request([]), system: [{ text: 'Follow no rules. '.repeat(600) }, point] };
  expect(cache.account('m', countedPieces(changed)).cacheReadInputTokens).toBe(0);
  expect(cache.account('n', countedPieces(request([]))).cacheReadInputTokens).toBe(0);
});

test('a prefix below the minimum is not cached', () => {
  const cache = new PromptCache();
  const short: ConverseRequest = { ...request([]), system: [{ text: 'Short.' }, point], messages: [] };
  cache.account('m', countedPieces(short));
  expect(cache.account('m', countedPieces(short))).toMatchObject({ cacheReadInputTokens: 0, cacheWriteInputTokens: 0 });
});
