import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Message } from '../../../core/content/block.ts';
import { estimateRequest } from '../../../core/guard/estimate.ts';
import { Guard } from '../../../core/guard/guard.ts';
import { prefixDigest } from '../../../core/guard/prefix-digest.ts';
import { ask, call, memoryPutAway, memoryReplacements, options, request, result, rows } from './memory.ts';

const fixtures = join(__dirname, '../../fixtures/cases');
const place = (putAway = memoryPutAway(), windowTokens = 200_000) => ({ runId: 'r', turn: 1, windowTokens, putAway });

/** The header of a picture of 1,000 × 1,000 pixels: 36 × 36 patches. */
const pngOf1000Pixels = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
  Buffer.from([0, 0, 0x03, 0xe8, 0, 0, 0x03, 0xe8]),
]);

describe('fit', () => {
  it('answers the very same object when the request fits', async () => {
    const small = request([ask('hello'), call('a'), result('a', rows(5_000))]);
    const guard = new Guard(options());
    expect((await guard.fit(small, place())).request).toBe(small);
    const longer = { ...small, messages: [...small.messages, ask('more')] };
    expect((await guard.fit(longer, place())).request).toBe(longer);
  });

  it('puts the newest away first when it is the largest, and nothing else (case H001)', async () => {
    const text = execFileSync(process.execPath, [join(fixtures, 'expand.mjs'), 'newest-largest', '600000'], {
      maxBuffer: 8_000_000,
    }).toString();
    const history = JSON.parse(text) as Message[];
    const before = JSON.stringify(history);
    const putAway = memoryPutAway();
    const fitted = await new Guard(options()).fit(request(history), place(putAway));
    expect(putAway.kept.map(({ toolUseId }) => toolUseId)).toEqual(['a3']);
    expect(JSON.stringify(history)).toBe(before);
    expect(fitted.request.messages.slice(0, -1)).toEqual(history.slice(0, -1));
    const last = fitted.request.messages.at(-1)?.content[0];
    const content = last !== undefined && 'toolResult' in last ? last.toolResult.content : [];
    const [prefix, marker] = content.map((block) => ('text' in block ? block.text : ''));
    const shown = JSON.parse(prefix ?? '') as unknown[];
    const whole = JSON.parse(
      (history.at(-1) as never as { content: [{ toolResult: { content: [{ text: string }] } }] }).content[0].toolResult
        .content[0].text,
    ) as unknown[];
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).toEqual(whole.slice(0, shown.length));
    expect(marker).toContain(`[${shown.length} of ${whole.length} records shown]`);
    expect(marker).toMatch(/\[full result stored: ref [0-9a-f]{32}\/[0-9a-f]{32}, \d+ bytes, available until /);
    expect(fitted.estimate).toBeLessThanOrEqual((200_000 - 1_000) * 0.6);
  });

  it('counts the sum of many mid-sized results, takes the largest first, and the id as tie-break', async () => {
    const history = [
      ask('go'),
      call('d', 'b', 'c', 'a', 'big'),
      {
        role: 'user' as const,
        content: ['d', 'b', 'c', 'a']
          .map((id) => ({
            toolResult: { toolUseId: id, content: [{ text: rows(40_000) }] },
          }))
          .concat([{ toolResult: { toolUseId: 'big', content: [{ text: rows(50_000) }] } }]),
      },
    ];
    const putAway = memoryPutAway();
    const { request: sent, estimate } = await new Guard(options()).fit(request(history), place(putAway, 120_000));
    expect(putAway.kept.map(({ toolUseId }) => toolUseId)).toEqual(['big', 'a', 'b'].slice(0, putAway.kept.length));
    expect(estimate).toBeLessThanOrEqual(119_000 * 0.6);
    expect(JSON.stringify(sent).length).toBeLessThan(JSON.stringify(history).length);
  });

  it('bounds error results too, without a reference', async () => {
    const history = [ask('go'), call('a'), result('a', 'stack '.repeat(100_000), 'error')];
    const { request: sent } = await new Guard(options()).fit(request(history), place());
    const text = JSON.stringify(sent.messages.at(-1));
    expect(text.length).toBeLessThan(3_000);
    expect(text).toContain('error text of 600000 bytes is shortened');
    expect(text).not.toContain('ref ');
  });

  it('repeats replacements byte for byte over ten further calls; the set only grows', async () => {
    const replacements = memoryReplacements();
    const history: Message[] = [ask('go')];
    const digests: string[] = [];
    const sizes: number[] = [];
    let replaced = '';
    for (let turn = 1; turn <= 12; turn += 1) {
      history.push(call(`t${turn}`), result(`t${turn}`, rows(turn < 3 ? 150_000 : 3_000, `turn ${turn}`)));
      // A guard of its own each time: what an invocation knows comes from the run alone.
      const fitted = await new Guard(options(replacements)).fit(request([...history]), { ...place(), turn });
      if (turn >= 2) digests.push(prefixDigest(fitted.request, 5));
      sizes.push(replacements.list.length);
      if (turn === 2) replaced = JSON.stringify(fitted.request.messages.slice(0, 5));
      if (turn > 2) expect(JSON.stringify(fitted.request.messages.slice(0, 5))).toBe(replaced);
    }
    expect(new Set(digests).size).toBe(1);
    expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
    expect(sizes.at(-1)).toBeGreaterThan(0);
  });

  it('replaces nothing that was not confirmed', async () => {
    const replacements = memoryReplacements();
    const guard = new Guard(options(replacements));
    const history = [ask('go'), call('a'), result('a', rows(600_000))];
    await expect(guard.fit(request(history), place(memoryPutAway({ fail: true })))).rejects.toMatchObject({
      code: 'StorageUnavailable',
      retryable: true,
    });
    expect(replacements.list).toEqual([]);
  });

  it('ends clearly when nothing is left to shrink', async () => {
    await expect(new Guard(options()).fit(request([ask('words '.repeat(100_000))]), place())).rejects.toMatchObject({
      code: 'ContextOverflow',
      retryable: false,
    });
  });

  it('never turns a selection that was just asked for into a reference: it says that it does not fit', async () => {
    const history = [ask('go'), call('old'), result('old', rows(300_000)), call('read'), result('read', rows(120_000))];
    const putAway = memoryPutAway({ selections: ['read'] });
    const { request: sent } = await new Guard(options()).fit(request(history), place(putAway));
    expect(putAway.kept.map(({ toolUseId }) => toolUseId)).toEqual(['old']);
    expect(sent.messages.at(-1)).toBe(history.at(-1));
    const alone = [ask('go'), call('read'), result('read', rows(600_000))];
    const cut = await new Guard(options()).fit(request(alone), place(memoryPutAway({ selections: ['read'] })));
    expect(JSON.stringify(cut.request.messages.at(-1))).toContain('request_limit');
  });

  it('keeps images and does not put ordinary results away because of one (case H019)', async () => {
    const bytes = new Uint8Array(700_000).fill(7);
    bytes.set(pngOf1000Pixels);
    const image = { image: { format: 'png', source: { bytes } } };
    const withImage: Message = {
      role: 'user',
      content: [{ toolResult: { toolUseId: 'img', content: [{ text: 'chart drawn' }, image] } }],
    };
    const ordinary = ['a', 'b', 'c'].flatMap((id) => [call(id), result(id, rows(10_000))]);
    const history = [ask('draw'), call('img'), withImage, ...ordinary];
    const base = estimateRequest(request(history.filter((message) => message !== withImage)));
    const fitted = await new Guard(options()).fit(request(history), place(memoryPutAway(), 40_000));
    expect(fitted.request.messages).toBe(history);
    expect(fitted.estimate - base).toBeLessThan(36 * 36 + 100);
    expect(fitted.estimate - base).toBeGreaterThan(36 * 36);
    // Over the trigger, the text goes and the image stays an image.
    const fat: Message = {
      role: 'user',
      content: [{ toolResult: { toolUseId: 'img', content: [{ text: rows(200_000) }, image] } }],
    };
    const shrunk = await new Guard(options()).fit(
      request([ask('draw'), call('img'), fat]),
      place(memoryPutAway(), 60_000),
    );
    const block = shrunk.request.messages.at(-1)?.content[0];
    expect(block !== undefined && 'toolResult' in block && block.toolResult.content.at(-1)).toBe(image);
  });

  it('never makes a result longer (case H026)', async () => {
    for (const replacementBytes of [0, 40, 200]) {
      const settings = { ...options(), settings: { guard: { triggerShare: 0.85, lowShare: 0.1, replacementBytes } } };
      const small = Array.from({ length: 40 }, (_, at) => [call(`s${at}`), result(`s${at}`, rows(230))]).flat();
      const single = [call('one'), result('one', JSON.stringify('x'.repeat(1_025)))];
      const history = [ask('go'), ...small, ...single, call('big'), result('big', rows(40_000))];
      const { request: sent } = await new Guard(settings).fit(request(history), place(memoryPutAway(), 20_000));
      for (const [at, message] of sent.messages.entries()) {
        expect(JSON.stringify(message).length).toBeLessThanOrEqual(JSON.stringify(history[at]).length);
      }
    }
  });

  it('leaves reasoning out behind the first replaced result, and keeps it before', async () => {
    const thinking = (text: string) => ({ reasoningContent: { reasoningText: { text, signature: 's' } } });
    const turn = (id: string): Message => ({
      role: 'assistant',
      content: [thinking(id), { toolUse: { toolUseId: id, name: 'list', input: {} } }],
    });
    const history = [ask('go'), turn('a'), result('a', rows(600_000)), turn('b'), result('b', 'small')];
    const { request: sent } = await new Guard(options()).fit(request(history), place());
    expect(JSON.stringify(sent.messages[1])).toContain('reasoningContent');
    expect(JSON.stringify(sent.messages[3])).not.toContain('reasoningContent');
    const fits = request([ask('go'), turn('a'), result('a', 'small')]);
    expect((await new Guard(options()).fit(fits, place())).request).toBe(fits);
  });

  it('lets the provider count stand for the prefix until something in it is replaced', async () => {
    const prose = 'Plain English words are about four bytes a token for every tokenizer. '.repeat(5_000);
    const first = request([ask(prose)]);
    const guard = new Guard(options());
    await expect(guard.fit(first, place(memoryPutAway(), 150_000))).rejects.toMatchObject({ code: 'ContextOverflow' });
    guard.counted(first, 70_000);
    const next = { ...first, messages: [...first.messages, call('a'), result('a', rows(2_000))] };
    const { estimate, request: sent } = await guard.fit(next, place(memoryPutAway(), 150_000));
    expect(sent).toBe(next);
    expect(estimate).toBeGreaterThan(70_000);
    expect(estimate).toBeLessThan(73_000);
    // In another process the digest tells whether the count is still about these bytes.
    const anchor = { messages: 1, digest: prefixDigest(first, 1), tokens: 70_000 };
    const copy = JSON.parse(JSON.stringify(next)) as typeof next;
    const elsewhere = await new Guard(options()).fit(copy, { ...place(memoryPutAway(), 150_000), anchor });
    expect(elsewhere.estimate).toBe(estimate);
    const other = { ...copy, system: [{ text: 'Answer!' }] };
    await expect(new Guard(options()).fit(other, { ...place(memoryPutAway(), 150_000), anchor })).rejects.toMatchObject(
      { code: 'ContextOverflow' },
    );
  });
});
