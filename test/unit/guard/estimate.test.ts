import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateRequest } from '../../../core/guard/estimate.ts';
import { Guard } from '../../../core/guard/guard.ts';
import { RunningEstimate } from '../../../core/guard/running-estimate.ts';
import { textTokens } from '../../../core/guard/text-tokens.ts';
import { ask, call, memoryPutAway, options, request, result } from './memory.ts';

const cjk = readFileSync(join(__dirname, '../../fixtures/cases/cjk-records.json'), 'utf8');

describe('textTokens', () => {
  it('counts bytes, not characters (case H017)', () => {
    expect(Buffer.byteLength(cjk)).toBe(29_147);
    expect(Math.round(textTokens(cjk))).toBeGreaterThanOrEqual(15_840);
    expect(Math.round(textTokens(cjk))).toBeLessThanOrEqual(15_841);
    const tight = JSON.stringify(JSON.parse(cjk));
    expect(Math.round(textTokens(tight))).toBeGreaterThanOrEqual(15_188);
    expect(Math.round(textTokens(tight))).toBeLessThanOrEqual(15_189);
  });

  it('is exact about the class of plain, dense and other text', () => {
    const prose = 'ordinary words of a plain sentence '.repeat(200);
    expect(textTokens(prose)).toBeCloseTo(prose.length / 1.84, 0);
    const hex = Buffer.from(prose)
      .toString('hex')
      .replace(/(..)/g, (pair) => pair);
    expect(textTokens(hex)).toBeGreaterThanOrEqual(hex.length / 1.3 - 1);
    expect(textTokens('አማርኛ'.repeat(100))).toBe(12 * 100);
    expect(textTokens('😀'.repeat(100))).toBeCloseTo(400 / 1.3, 5);
    expect(textTokens('1,2,3,4,5,6,7,8,9,'.repeat(50))).toBeGreaterThanOrEqual(890);
    expect(textTokens('')).toBe(0);
  });

  it('judges a dense value in a long text by itself', () => {
    const around = 'ordinary words of a plain sentence '.repeat(100);
    const value = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7919) % 256)).toString('base64');
    const whole = textTokens(around + value + around);
    expect(whole).toBeGreaterThan(value.length / 1.3 + (2 * around.length) / 1.84 - 120);
  });
});

describe('the trigger (case H017)', () => {
  it.each([
    ['just under', -400, 0],
    ['just over', +400, 1],
  ])('%s 85%% of the window', async (_words, off, replaced) => {
    const wanted = 170_000 + off;
    let text = cjk.repeat(Math.floor((wanted * 1.84) / 29_147));
    text += '検'.repeat(Math.floor((wanted - textTokens(text)) * 0.613));
    const history = [ask('q'), call('a'), result('a', text)];
    const sent = request(history, { system: [], tools: [], maxTokens: 0 });
    expect(Math.abs(estimateRequest(sent) - wanted)).toBeLessThan(100);
    const putAway = memoryPutAway();
    await new Guard(options()).fit(sent, { runId: 'r', turn: 1, windowTokens: 200_000, putAway });
    expect(putAway.kept).toHaveLength(replaced);
  });
});

describe('RunningEstimate', () => {
  it('agrees with the estimate of the whole, whatever was asked before', () => {
    const running = new RunningEstimate();
    const base = [ask('one'), call('a'), result('a', cjk)];
    for (const messages of [base, [...base, ask('two')], base.slice(0, 1), [ask('other'), ...base]]) {
      const wanted = request(messages);
      expect(running.of(wanted)).toBe(estimateRequest(wanted));
    }
  });

  it('drops the count of a prefix when a message of it is another object', () => {
    const running = new RunningEstimate();
    const first = request([ask('one'), call('a'), result('a', cjk)]);
    running.anchorAt(first, 5_000);
    expect(running.of(first)).toBe(5_000);
    const changed = { ...first, messages: [...first.messages.slice(0, 2), result('a', cjk)] };
    expect(running.of(changed)).toBe(estimateRequest(changed));
    expect(running.of({ ...first, modelId: 'other' })).toBe(estimateRequest(first));
  });
});
