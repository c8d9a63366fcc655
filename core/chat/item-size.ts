/**
 * Bytes of an item as DynamoDB counts them against its 400 KB limit ("DynamoDB item sizes and formats" in the
 * developer guide): attribute names and string values as UTF-8, binary as raw bytes, a number about one byte per two
 * significant digits plus one, null and booleans one, a list or map three plus one per entry.
 */
export function itemBytes(item: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) bytes += Buffer.byteLength(name, 'utf8') + valueBytes(value);
  }
  return bytes;
}

/** 400 KB: 1 KB is 1,024 bytes. */
export const maxItemBytes = 400 * 1024;

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value, 'utf8');
  if (typeof value === 'number' || typeof value === 'bigint') return numberBytes(String(value));
  if (value === null || typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, entry) => sum + 1 + valueBytes(entry), 3);
  if (value instanceof Set) return [...value].reduce((sum: number, entry) => sum + valueBytes(entry), 0);
  if (typeof value === 'object') {
    return Object.entries(value).reduce(
      (sum, [name, entry]) =>
        entry === undefined ? sum : sum + 1 + Buffer.byteLength(name, 'utf8') + valueBytes(entry),
      3,
    );
  }
  throw new Error(`item: expected a value that DynamoDB holds, found ${typeof value}`);
}

function numberBytes(text: string): number {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
