/** A stretch of an answer: only weight and type face, never an address. */
export interface Span {
  readonly kind: 'text' | 'strong' | 'code';
  readonly text: string;
}

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string };

/**
 * Reads the little Markdown that models write: headings, lists, code, bold. Links and images stay the characters that
 * they are: an address in an answer is inert text, and nothing is ever fetched for it (DESIGN 7.8).
 */
export function answerBlocks(answer: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = answer.replace(/\r\n?/g, '\n').split('\n');
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', spans: spans(paragraph.join('\n')) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^\s*```/.test(line)) {
      flush();
      const end = lines.findIndex((later, index) => index > at && /^\s*```\s*$/.test(later));
      const stop = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, stop).join('\n') });
      at = stop;
    } else if (line.trim() === '') {
      flush();
    } else if (/^#{1,6}\s/.test(line)) {
      flush();
      blocks.push({ kind: 'heading', spans: spans(line.replace(/^#{1,6}\s+/, '')) });
    } else if (itemPattern.test(line)) {
      flush();
      const ordered = /^\s*\d/.test(line);
      const items: string[] = [];
      for (; at < lines.length && itemPattern.test(lines[at] ?? ''); at += 1) {
        items.push((lines[at] ?? '').replace(itemPattern, ''));
      }
      at -= 1;
      blocks.push({ kind: 'list', ordered, items: items.map(spans) });
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return blocks;
}

const itemPattern = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/;

function spans(text: string): readonly Span[] {
  const found: Span[] = [];
  let last = 0;
  for (const match of text.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*/g)) {
    if (match.index > last) found.push({ kind: 'text', text: text.slice(last, match.index) });
    found.push(match[1] === undefined ? { kind: 'strong', text: match[2] ?? '' } : { kind: 'code', text: match[1] });
    last = match.index + match[0].length;
  }
  if (last < text.length) found.push({ kind: 'text', text: text.slice(last) });
  return found;
}
