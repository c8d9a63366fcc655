import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { headPreview } from '../../../core/preview/head-preview.ts';
import { InlinePrefix } from '../../../core/preview/inline-prefix.ts';
import { shortenedMark, shortenedValue } from '../../../core/preview/shortened-value.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

const preview = (text: string, previewBytes: number) => scanBytes(Buffer.from(text), { previewBytes }).preview;
const rows = (n: number) => Array.from({ length: n }, (_, id) => ({ id, name: `row ${id}` }));

describe('what stands around the list', () => {
  test('after the rows as well as before them', () => {
    const text = JSON.stringify({ rows: rows(500), page: { has_more: true }, took: 3 });
    const shown = JSON.parse(preview(text, 300).text);
    expect(shown.page).toEqual({ has_more: true });
    expect(shown.took).toBe(3);
    expect(shown.rows.length).toBeGreaterThan(3);
  });

  test('a long value beside the rows is marked as left out, and the rows still come', () => {
    const text = JSON.stringify({ blob: 'b'.repeat(30_000), id: 7, rows: rows(2000) });
    const shown = JSON.parse(preview(text, 2000).text);
    expect(shown.blob).toBe('…[30002 bytes left out]');
    expect(shown.id).toBe(7);
    expect(shown.rows.length).toBeGreaterThan(50);
  });

  test('too much to keep, or out of reach: only the path to the rows', () => {
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, 'v'.repeat(20)]));
    const far = { blob: 'b'.repeat(200_000), in: { 'a"b': rows(2000) } };
    expect(Object.keys(JSON.parse(preview(JSON.stringify({ ...many, rows: rows(9) }), 600).text))).toEqual(['rows']);
    const shown = JSON.parse(preview(JSON.stringify(far), 600).text);
    expect(shown.in['a"b'].length).toBeGreaterThan(10);
  });

  test('whitespace is the tool’s own', () => {
    const text = JSON.stringify(rows(50), null, 2);
    const cut = preview(text, 200);
    expect(text.startsWith(cut.text.slice(0, -1))).toBe(true);
    expect(JSON.parse(cut.text)).toEqual(rows(50).slice(0, cut.shown));
  });
});

describe('text', () => {
  test('whole lines only', () => {
    expect(preview('first line\nsecond line\nthird line\n', 25)).toMatchObject({
      text: 'first line\nsecond line',
      shown: 2,
      complete: false,
    });
  });

  test('one line too long: its beginning, marked, never half a character', () => {
    const text = '検索🙂'.repeat(500);
    for (let budget = 0; budget < 60; budget++) {
      const { text: shown, shown: lines, shortened } = preview(text, budget);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(budget);
      expect(shown).not.toContain('\ufffd');
      expect([lines, shortened]).toEqual([0, true]);
      if (budget >= 16) expect(shown.endsWith(shortenedMark)).toBe(true);
    }
  });
});

describe('a value that does not fit', () => {
  const record = { id: 1, body: 'x\n"'.repeat(2000), tags: ['a', 'b'], last: true };
  test.each([60, 100, 333, 2000])('is marked and parses within %i bytes', (room) => {
    const json = Buffer.from(JSON.stringify(record));
    const short = shortenedValue(json, room)?.toString() ?? '';
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(room);
    expect(JSON.parse(short).id).toBe(1);
    expect(short).toContain('[shortened]');
  });

  test('members after a long string are reached', () => {
    const short = JSON.parse(shortenedValue(Buffer.from(JSON.stringify(record)), 2000)?.toString() ?? '');
    expect(short).toMatchObject({ id: 1, tags: ['a', 'b'], last: true });
    expect(short.body.endsWith(shortenedMark)).toBe(true);
  });

  test('an escape, a surrogate pair and a character are never cut', () => {
    const json = Buffer.from(`["${'\\ud83d\\ude00'.repeat(40)}","${'\\\\'.repeat(90)}","${'検'.repeat(90)}"]`);
    for (let room = 20; room < 400; room++) {
      const short = shortenedValue(json, room)?.toString() ?? '[]';
      expect(Buffer.byteLength(short)).toBeLessThanOrEqual(room);
      expect(JSON.stringify(JSON.parse(short))).not.toMatch(/\\ud[89a-f]|\ufffd/);
    }
  });

  test('an object without a list that is larger than the budget', () => {
    const text = JSON.stringify(Object.fromEntries(rows(90).map(({ id, name }) => [`key${id}`, name])));
    const { text: shown, shortened, firstRecordBytes } = preview(text, 120);
    expect(JSON.parse(shown)).toMatchObject({ key0: 'row 0', '…': '[shortened]' });
    expect([shortened, firstRecordBytes]).toEqual([true, text.length]);
  });
});

describe('the head alone', () => {
  test('costs the same whatever follows, and shows what the scan of the whole shows', () => {
    const body = Buffer.from(JSON.stringify(rows(5000)));
    const whole = scanBytes(body, { previewBytes: 900 }).preview;
    expect(headPreview(body, 900)).toEqual(whole);
    expect(headPreview(body.subarray(0, 950), 900).text).toBe(whole.text);
  });

  test('a text that fits is itself', () => {
    expect(headPreview(Buffer.from('{"a":1}'), 100)).toMatchObject({ text: '{"a":1}', complete: true, shown: 1 });
  });
});

describe('rows one by one', () => {
  test('stops at the first that does not fit and never resumes', () => {
    const prefix = new InlinePrefix(20);
    expect(prefix.offer('{"a":1}')).toBe(true);
    expect(prefix.offer(JSON.stringify({ wide: 'x'.repeat(30) }))).toBe(false);
    expect(prefix.offer('1')).toBe(false);
    expect([prefix.text(), prefix.rows, prefix.stopped]).toEqual(['[{"a":1}]', 1, true]);
  });

  test('counts every byte of the text, characters of many bytes too', () => {
    const prefix = new InlinePrefix(12);
    expect(prefix.offer('"検"')).toBe(true);
    expect(prefix.offer('"a"')).toBe(true);
    expect(prefix.offer('""')).toBe(false);
    expect(prefix.bytes).toBe(Buffer.byteLength(prefix.text()));
  });
});

test('a preview keeps nothing of the whole alive', async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  // Buffers are given back by a thread of their own, a moment after the collection: looked at until nothing more goes.
  const bytesHeld = async () => {
    for (let held = Number.POSITIVE_INFINITY; ; ) {
      collect();
      await setTimeout(50);
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      if (heapUsed + arrayBuffers > held - 100_000) return Math.min(held, heapUsed + arrayBuffers);
      held = heapUsed + arrayBuffers;
    }
  };
  const text = JSON.stringify(rows(60_000));
  preview(text, 4000);
  const before = await bytesHeld();
  const held = Array.from({ length: 30 }, () => scanBytes(Buffer.from(text), { previewBytes: 4000 }));
  // 30 bodies of 2 MB; what is held are 30 summaries of a few KB.
  expect((await bytesHeld()) - before).toBeLessThan(6_000_000);
  expect(held.every(({ preview: { shown } }) => shown > 90)).toBe(true);
});
