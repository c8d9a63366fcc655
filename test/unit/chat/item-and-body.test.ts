import { hasPassed } from '../../../core/chat/expiry.ts';
import { failureWords } from '../../../core/chat/failure-words.ts';
import { itemBytes } from '../../../core/chat/item-size.ts';
import { chatTitle } from '../../../core/chat/title.ts';
import { decodeTurn, encodeTurn } from '../../../core/chat/turn-body.ts';
import { turn } from './sample-turn.ts';

describe('itemBytes (case H062)', () => {
  it('counts UTF-8 bytes and names', () => {
    expect(itemBytes({ text: '検'.repeat(140_000) })).toBe(420_004);
    expect(itemBytes({ 検: 'x' })).toBe(4);
    expect(itemBytes({ n: 12345, neg: -1.5, zero: 0, yes: true, none: null })).toBe(
      1 + 4 + 3 + 3 + 4 + 1 + 3 + 1 + 4 + 1,
    );
    expect(itemBytes({ l: ['ab', 1], m: { a: 'b' }, b: new Uint8Array(10) })).toBe(
      1 + 3 + 1 + 2 + 1 + 2 + 1 + 3 + 1 + 2 + 1 + 10,
    );
  });
});

describe('encodeTurn', () => {
  it('comes back equal: bytes, lone surrogates, NUL keys and __proto__', () => {
    const input = JSON.parse(
      '{"__proto__": {"x": 1}, "\\u0000bytes": "AA==", "\\u0000\\u0000k": [1], "text": "\\ud800"}',
    ) as never;
    const saved = turn({
      threads: [
        {
          agent: 'assistant',
          messages: [
            { role: 'user', content: [{ image: { format: 'png', source: { bytes: new Uint8Array([0, 255, 7]) } } }] },
            {
              role: 'assistant',
              content: [
                { toolUse: { toolUseId: 't', name: 'list', input } },
                { reasoningContent: { redactedContent: Buffer.from('secret') } },
              ],
            },
          ],
        },
      ],
    });
    const back = decodeTurn(encodeTurn(saved));
    const block = back.threads[0]?.messages[0]?.content[0] as { image: { source: { bytes: Uint8Array } } };
    expect(block.image.source.bytes).toEqual(new Uint8Array([0, 255, 7]));
    expect(JSON.stringify(back.threads[0]?.messages[1]?.content[0])).toBe(
      JSON.stringify({ toolUse: { toolUseId: 't', name: 'list', input } }),
    );
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('small rules', () => {
  it('reads a date in milliseconds as what was meant, and the instant itself as past', () => {
    const now = new Date(1_790_000_000_000);
    expect(hasPassed(1_790_000_000, now)).toBe(true);
    expect(hasPassed(1_790_000_001, now)).toBe(false);
    expect(hasPassed(undefined, now)).toBe(false);
    expect(hasPassed(1_790_000_001_000, now)).toBe(false);
    expect(hasPassed(1_789_999_999_000, now)).toBe(true);
  });

  it('makes a title of whole characters within 96 bytes', () => {
    expect(chatTitle('  how\nmany  \u0000 rows? ')).toBe('how many rows?');
    expect(Buffer.byteLength(chatTitle('検'.repeat(500)))).toBeLessThanOrEqual(96);
    expect(chatTitle('😀'.repeat(100))).toMatch(/^(😀)+…$/u);
    expect(chatTitle('\ud800')).toBe('\ufffd');
    expect(chatTitle(' \n')).toBe('(no text)');
  });

  it('passes no program text on as the reason of a failure (case H072)', () => {
    expect(failureWords({ code: 'ContextOverflow', message: 'prompt is too long: 214377 tokens' })).not.toContain(
      '214377',
    );
    const cause = JSON.stringify({ errorMessage: 'x'.repeat(300_000), trace: ['at f (/var/task/index.js:1:2)'] });
    expect(failureWords({ code: 'Error', message: cause })).toBe('This turn did not finish.');
    expect(failureWords({ code: 'Other', message: 'The upstream is closed on Sundays.' })).toBe(
      'The upstream is closed on Sundays.',
    );
    expect(failureWords({ code: 'Other', message: 'long '.repeat(1_000) }).length).toBeLessThanOrEqual(200);
    expect(failureWords({ code: 'Other', message: 'at Object.f (/var/task/x.js:10:3) TypeError: no' })).toBe(
      'This turn did not finish.',
    );
  });
});
