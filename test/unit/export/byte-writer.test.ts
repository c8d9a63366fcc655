import fc from 'fast-check';
import { ByteWriter, oddAscii } from '../../../core/export/byte-writer.ts';

const written = (write: (out: ByteWriter) => void): string => {
  const out = new ByteWriter();
  write(out);
  return out.bytes.toString('utf8', 0, out.at);
};
const asJavaScript = (value: number) => (Object.is(value, -0) ? '-0' : String(value));

test('a number is written as JavaScript writes it', () => {
  const some = [
    0, -0, 1, -1, 9, 10, 99, 100, 2147483647, -2147483648, 2147483648, 0.1, 0.5, 0.0001, 0.00001, 1e-7, 1e21,
  ];
  for (const value of [...some, 12.34, -12.34, 99.9999, 0.30000000000000004, 214748.3647, 2251799813685248.5, 5e-324]) {
    expect(written((out) => out.number(value))).toBe(asJavaScript(value));
  }
  fc.assert(
    fc.property(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }).map((value) => value / 100),
        fc.tuple(fc.integer(), fc.integer({ min: 0, max: 8 })).map(([value, places]) => value / 10 ** places),
      ),
      (value) => written((out) => out.number(value)) === asJavaScript(value),
    ),
    { numRuns: 20_000 },
  );
});

test('text of any script is written as UTF-8, or refused with nothing written', () => {
  const odd = oddAscii('",');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const out = new ByteWriter();
      const plain = out.plain(text, odd, 0);
      const strange = [...text].some(
        (unit) => unit < ' ' || unit === '"' || unit === ',' || unit.length > 1 || /\p{Cs}/u.test(unit),
      );
      expect(plain).toBe(!strange);
      expect(out.bytes.toString('utf8', 0, out.at)).toBe(plain ? text : '');
    }),
    { numRuns: 5_000 },
  );
});

test('a buffer grows for a long text and keeps what stands before it', () => {
  const long = 'ж'.repeat(300_000);
  expect(
    written((out) => {
      out.ascii('before ');
      out.text(long);
    }),
  ).toBe(`before ${long}`);
  const out = new ByteWriter();
  out.text('x'.repeat(3_000_000));
  out.reset();
  expect(out.bytes.length).toBeLessThan(1024 * 1024);
});
