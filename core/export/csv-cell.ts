/**
 * White space of any kind, controls included, before a sign that starts a formula (full-width forms too), or a TAB, CR
 * or LF at the very start (DESIGN 5.6).
 */
const formulaStart = /^(?:[\t\r\n]|[\s\p{Cc}\u180e\u200b\u2060]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;
/** A text that is wholly one decimal number (a database's numeric) is a number, not a formula. */
const decimalNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** ASCII codes that may begin a guarded cell: controls, space, `+ - = @`. Everything else in ASCII is safe. */
const suspectAscii = new Uint8Array(128);
suspectAscii.fill(1, 0, 0x21);
suspectAscii[0x7f] = 1;
for (const sign of '=+-@') suspectAscii[sign.charCodeAt(0)] = 1;
const needsQuotes = /[",\r\n]/;

/** Would a spreadsheet take this text for a formula? Such a cell gets one leading `'`. */
export function startsFormula(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first < 128 && suspectAscii[first] === 0) return false;
  return formulaStart.test(text) && !decimalNumber.test(text);
}

/**
 * A string as one CSV field: guarded first, then quoted by RFC 4180. The empty string is `""`, which tells it from null
 * (nothing at all).
 */
export function csvText(text: string): string {
  if (text === '') return '""';
  const guarded = startsFormula(text) ? `'${text}` : text;
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** JSON text of a nested value as one field: it begins with a bracket, so nothing has to be guarded. */
export function csvJson(json: string): string {
  return needsQuotes.test(json) ? `"${json.replaceAll('"', '""')}"` : json;
}
