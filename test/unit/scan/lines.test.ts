import fc from 'fast-check';
import { LineEnds } from '../../../core/scan/line-ends.ts';
import { LineScan } from '../../../core/scan/line-scan.ts';
import { ListCollector } from '../../../core/scan/list-collector.ts';

interface Line {
  readonly start: number;
  readonly end: number;
  readonly past: number;
}

/** The rule, told byte by byte over the whole: LF or CRLF ends a line and is no part of it. */
function linesOf(bytes: Uint8Array, from: number): Line[] {
  const lines: Line[] = [];
  let start = from;
  for (let at = from; at < bytes.length; at += 1) {
    const last = at === bytes.length - 1;
    if (bytes[at] !== 0x0a && !last) continue;
    const stop = bytes[at] === 0x0a ? at : at + 1;
    lines.push({ start, end: stop > start && bytes[stop - 1] === 0x0d ? stop - 1 : stop, past: at + 1 });
    start = at + 1;
  }
  return lines;
}

/** What the collector makes of the same lines when each is told to it. */
function told(bytes: Uint8Array, from: number, headBytes: number): ListCollector {
  const list = new ListCollector(from, { headBytes, maxRecordBytes: 0 }, null);
  for (const { start, end } of linesOf(bytes, from)) {
    list.begin(start);
    list.end(bytes, 0, end, false);
  }
  list.pieceEnd(bytes, 0, bytes.length);
  return list;
}

/** Every piece in the same buffer, in its middle, with line ends before and behind that are none of its own. */
function scanned(bytes: Uint8Array, from: number, headBytes: number, cuts: readonly number[]) {
  const scan = new LineScan({ headBytes, maxRecordBytes: 0, sink: null }, from);
  const buffer = new Uint8Array(bytes.length + 4);
  const places = [from, ...cuts.filter((cut) => cut > from && cut < bytes.length).sort((a, b) => a - b), bytes.length];
  for (const [n, at] of places.slice(0, -1).entries()) {
    const piece = bytes.subarray(at, places[n + 1]);
    buffer.fill(0x0a);
    buffer.set(piece, 2);
    expect(scan.write(buffer, 2, 2 + piece.length)).toBe(2 + piece.length);
    buffer.fill(0x0d);
  }
  return scan.end();
}

function facts(list: ListCollector, bytes: number) {
  return { records: list.index.records, first: list.index.first, ...list.index.end(bytes), head: list.head() };
}

const text = fc
  .array(fc.constantFrom('\n', '\n', '\r', '\r\n', 'a', 'some words', 'é', '\u2028'), { maxLength: 60 })
  .map((parts) => Uint8Array.from(Buffer.from(parts.join(''))));
const cuts = fc.array(fc.nat(200), { maxLength: 30 });

it('lines in pieces cut anywhere: the same books as if each line were told', () => {
  fc.assert(
    fc.property(text, cuts, fc.nat(80), fc.constantFrom(0, 3), (body, at, headBytes, from) => {
      const bytes = from === 0 ? body : Uint8Array.of(0xef, 0xbb, 0xbf, ...body);
      const found = scanned(bytes, from, headBytes, at);
      expect(facts(found.list as ListCollector, bytes.length)).toEqual(
        facts(told(bytes, from, headBytes), bytes.length),
      );
      expect(found.root).toEqual({ start: from, end: bytes.length, whole: true, odd: false });
    }),
    { numRuns: 2_000 },
  );
});

it('cut at every single place', () => {
  const bytes = Uint8Array.from(Buffer.from('one\r\n\r\n\n\rtwo\r\r\n\nlast one\r'));
  for (let headBytes = 0; headBytes <= bytes.length; headBytes += 1) {
    const wanted = facts(told(bytes, 0, headBytes), bytes.length);
    for (let one = 0; one < bytes.length; one += 1) {
      for (let other = one; other < bytes.length; other += 1) {
        const { list } = scanned(bytes, 0, headBytes, [one, other]);
        expect(facts(list as ListCollector, bytes.length)).toEqual(wanted);
      }
    }
  }
});

it('over many chunks: lines at their borders, a line wider than several, none at all', () => {
  const chunk = 64 * 1024;
  const parts = ['x'.repeat(chunk - 1), 'y'.repeat(chunk), '', 'z'.repeat(3 * chunk), ...Array(40_000).fill('a line')];
  const bytes = Uint8Array.from(Buffer.from(parts.join('\n')));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 60_001) }, (_, n) => n * 60_001);
  const { list } = scanned(bytes, 0, 16_384, pieces);
  const { head: _, ...wanted } = facts(told(bytes, 0, 16_384), bytes.length);
  expect(facts(list as ListCollector, bytes.length)).toMatchObject(wanted);
  expect(wanted.records).toBe(parts.length);
  expect(wanted.firstOffset.filter((offset) => offset === -1).length).toBeGreaterThan(1);
});

it('line by line, as reads find them: starts, ends and what is behind the line end', () => {
  fc.assert(
    fc.property(text, cuts, (bytes, at) => {
      const found: Line[] = [];
      let open = -1;
      const lines = new LineEnds(
        (start) => {
          open = start;
        },
        (end, past) => found.push({ start: open, end, past }),
        0,
      );
      const places = [0, ...at.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      for (const [n, place] of places.slice(0, -1).entries()) lines.write(bytes, place, places[n + 1] as number);
      lines.end();
      expect(found).toEqual(linesOf(bytes, 0));
      expect(lines.offset).toBe(bytes.length);
    }),
    { numRuns: 2_000 },
  );
});
