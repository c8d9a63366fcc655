const quote = 0x22;
const carriageReturn = 0x0d;
const comma = 0x2c;

/** Rows up to byte `end` of the spool (exclusive) were written with `columns` fields each. */
export interface WidthSection {
  readonly columns: number;
  readonly end: number;
}

/**
 * Gives every record of a spooled CSV the same width: where a column first appeared late, the records before it get
 * empty fields at their end. Our own records end in CRLF and a CR inside a field is always quoted, so the first CR
 * outside quotes is the record's end. Sections that are wide enough pass untouched.
 */
export async function* widenRows(
  pieces: AsyncIterable<Uint8Array>,
  sections: readonly WidthSection[],
  columns: number,
): AsyncGenerator<Uint8Array> {
  let section = 0;
  let offset = 0;
  let quoted = false;
  for await (const piece of pieces) {
    let start = 0;
    while (start < piece.length) {
      while (section < sections.length - 1 && offset >= (sections[section] as WidthSection).end) {
        section += 1;
        quoted = false;
      }
      const { columns: had, end } = sections[section] as WidthSection;
      const length = Math.min(piece.length - start, Math.max(1, end - offset));
      const part = piece.subarray(start, start + length);
      if (had >= columns) yield part;
      else {
        const widened = widen(part, columns - had, quoted);
        quoted = widened.quoted;
        yield widened.bytes;
      }
      start += length;
      offset += length;
    }
  }
}

function widen(part: Uint8Array, missing: number, startsQuoted: boolean): { bytes: Uint8Array; quoted: boolean } {
  let quoted = startsQuoted;
  const ends: number[] = [];
  for (let at = 0; at < part.length; at += 1) {
    const byte = part[at];
    if (byte === quote) quoted = !quoted;
    else if (byte === carriageReturn && !quoted) ends.push(at);
  }
  const out = Buffer.allocUnsafe(part.length + ends.length * missing);
  let from = 0;
  let to = 0;
  for (const end of ends) {
    out.set(part.subarray(from, end), to);
    to += end - from;
    out.fill(comma, to, to + missing);
    to += missing;
    from = end;
  }
  out.set(part.subarray(from), to);
  return { bytes: out, quoted };
}
