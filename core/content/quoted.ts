/** Characters of a text that are written or read in one go: well under a millisecond. */
const sliceLength = 64 * 1024;

/** `JSON.stringify` of a text, in pieces. */
export function* quoted(text: string): Generator<string> {
  if (text.length <= sliceLength) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + sliceLength, text.length);
    // The halves of a pair that is cut would be escaped, each for itself.
    if (to < text.length && isHighHalf(text.charCodeAt(to - 1))) to -= 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/**
 * What the JSON string in `text[from, to)` says, in pieces that cut no pair of surrogates; the quotes are not among them.
 * Throws `SyntaxError` where it is no JSON string.
 */
export function* unquoted(text: string, from: number, to: number): Generator<string> {
  let half = '';
  for (let at = from; at < to; ) {
    const end = pastEscapes(text, at, Math.min(at + sliceLength, to), to);
    const piece = half + (JSON.parse(`"${text.slice(at, end)}"`) as string);
    at = end;
    half = at < to && isHighHalf(piece.charCodeAt(piece.length - 1)) ? piece.slice(-1) : '';
    yield half === '' ? piece : piece.slice(0, -1);
  }
  if (half !== '') yield half;
}

/** The first place from `target` on that stands in no escape; `at` stands in none. */
function pastEscapes(text: string, at: number, target: number, to: number): number {
  let place = at;
  while (place < target) {
    const slash = text.indexOf('\\', place);
    if (slash < 0 || slash >= target) return target;
    place = slash + (text[slash + 1] === 'u' ? 6 : 2);
  }
  return Math.min(place, to);
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
