import fc from 'fast-check';
import { storedBytes } from '../../../core/content/well-formed.ts';
import { partLimit, TextEncoding } from '../../../core/encoding/text-encoding.ts';
import { Utf8Kernel, utf8Kernel } from '../../../core/encoding/utf8-kernel.ts';
import { utf8Wasm } from '../../../core/encoding/utf8-wasm.ts';
import { compileKernel, utf8Kernel as source } from '../../../scripts/build-kernel/compile.ts';

/** What TextEncoder and the three bytes of a lone surrogate make of a text, in hex. */
const wanted = (text: string) => Buffer.from(storedBytes(text)).toString('hex');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const kernel = utf8Kernel() as Utf8Kernel;

/** All ways in which a text can be written, each into a buffer that is not empty. */
function written(text: string, encoding: TextEncoding): string {
  const buffer = Buffer.alloc(7 + 3 * text.length, 0xee);
  const bytes = encoding.write(text, buffer, 7);
  expect(hex(buffer.subarray(0, 7))).toBe('ee'.repeat(7));
  return buffer.toString('hex', 7, 7 + bytes);
}

/** Of each length of UTF-8, at the borders of each; halves of pairs in any order. */
const units = [0, 0x41, 0x7f, 0x80, 0xe9, 0xff, 0x100, 0x7ff, 0x800, 0x6f22, 0xd7ff, 0xe000, 0xfffd, 0xffff];
const halves = [0xd800, 0xdbff, 0xdc00, 0xdfff];
const anyText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('plain words, ') },
      { weight: 4, arbitrary: fc.constantFrom(...units).map((unit) => String.fromCharCode(unit)) },
      { weight: 2, arbitrary: fc.constantFrom(...halves).map((unit) => String.fromCharCode(unit)) },
      { weight: 1, arbitrary: fc.constantFrom('😀', '\u{10000}', '\u{10ffff}') },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));
const latin1Text = fc
  .array(fc.constantFrom('plain words, ', 'a', 'é', '\u0080', '\u00ff', '\0'), { maxLength: 40 })
  .map((parts) => parts.join(''));

it('the kernel is what its source compiles to', () => {
  expect(compileKernel(source).toString('base64')).toBe(utf8Wasm);
});

it('any text, and any after it, has the bytes that are stored, with the kernel and without it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyText, latin1Text), { maxLength: 5 }), (texts) => {
      for (const encoding of [new TextEncoding(), new TextEncoding(() => null)]) {
        for (const text of texts) expect(written(text, encoding)).toBe(wanted(text));
      }
      for (const text of texts) expect(hex(kernel.utf16(text))).toBe(wanted(text));
    }),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(latin1Text, (text) => {
      expect(hex(kernel.latin1(text))).toBe(wanted(text));
    }),
    { numRuns: 1_000 },
  );
});

it('every code unit, alone and among others, at every place of a vector', () => {
  for (let first = 0; first < 0x10000; first += 64) {
    const alone = Array.from({ length: 64 }, (_, n) => String.fromCharCode(first + n));
    const spaced = alone.map((unit, n) => unit + 'x'.repeat(n % 17)).join('');
    for (const text of [alone.join(''), spaced]) expect(hex(kernel.utf16(text))).toBe(wanted(text));
    if (first < 0x100) expect(hex(kernel.latin1(spaced))).toBe(wanted(spaced));
  }
  for (let length = 0; length < 36; length += 1) {
    for (let at = 0; at <= length; at += 1) {
      for (const unit of ['é', '\u07ff', '漢', '😀', '😀😀', '\ud800', '\udc00', '\udc00\ud800', '\ud800😀']) {
        for (const filler of ['x', 'é', '漢']) {
          const text = filler.repeat(at) + unit + filler.repeat(length - at);
          expect(hex(kernel.utf16(text))).toBe(wanted(text));
          if (text <= '\u00ff' && !/[^\0-\xff]/.test(text)) expect(hex(kernel.latin1(text))).toBe(wanted(text));
        }
      }
    }
  }
});

it('parts as long as they may be, of three bytes a character, and two kernels that do not meet', () => {
  const other = new Utf8Kernel();
  for (const character of ['a', 'é', '漢', '\ud800']) {
    const text = character.repeat(partLimit);
    expect(kernel.limit).toBe(partLimit);
    const made = kernel.utf16(text);
    other.utf16('漢'.repeat(partLimit));
    expect(hex(made)).toBe(wanted(text));
  }
  const latin1 = 'é'.repeat(partLimit);
  expect(hex(kernel.latin1(latin1))).toBe(wanted(latin1));
});
