/**
 * JSON has no NaN and no infinities, but Python writes them. Wherever such a record is shown, read or analysed, the
 * odd value stands as a string ("NaN", "Infinity", "-Infinity"): marked, never a silent null or 0. The stored bytes
 * stay as they came.
 */
export function markOddValues(json: Uint8Array): Uint8Array {
  const text = Buffer.from(json.buffer, json.byteOffset, json.length);
  const parts: Buffer[] = [];
  let copied = 0;
  let i = 0;
  while (i < text.length) {
    const c = text[i] as number;
    if (c === 0x22) {
      i = stringEnd(text, i);
      continue;
    }
    const length = oddLength(text, i, c);
    if (length === 0) i++;
    else {
      parts.push(text.subarray(copied, i), quote, text.subarray(i, i + length), quote);
      i += length;
      copied = i;
    }
  }
  parts.push(text.subarray(copied));
  return Buffer.concat(parts);
}

const quote = Buffer.from('"');

function oddLength(text: Buffer, at: number, c: number): number {
  if (c === 0x4e) return 3;
  if (c === 0x49) return 8;
  return c === 0x2d && text[at + 1] === 0x49 ? 9 : 0;
}

function stringEnd(text: Buffer, quoteAt: number): number {
  let i = quoteAt + 1;
  while (i < text.length && text[i] !== 0x22) i += text[i] === 0x5c ? 2 : 1;
  return i + 1;
}
