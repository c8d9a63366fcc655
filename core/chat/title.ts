/** Title of a chat: its first question on one line, at most 96 UTF-8 bytes of whole characters. */
export function chatTitle(question: string): string {
  const line = question
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  let bytes = 0;
  let title = '';
  for (const character of line) {
    bytes += Buffer.byteLength(character, 'utf8');
    if (bytes > 93) return `${title.trimEnd()}…`;
    title += character;
  }
  return title === '' ? '(no text)' : title;
}
