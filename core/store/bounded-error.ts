import type { ContentBlock } from '../content/block.ts';
import { jsonText } from '../content/json-text.ts';
import { contentBytes, textPrefix } from './content-size.ts';

/** Bytes kept free for the sentence that says what was left out. */
const noteBytes = 120;

/**
 * The content of a failed call within `maxBytes` (DESIGN 5.7: failed calls are bounded too, without a data reference).
 * What fits comes back as it is, but never blank; else the beginning of its text and how much there was.
 */
export function boundedError(content: readonly ContentBlock[], maxBytes: number): readonly ContentBlock[] {
  const whole = content.filter((block) => !('text' in block) || block.text.trim() !== '');
  if (whole.length === 0) return [{ text: 'The tool failed and gave no reason.' }];
  const bytes = contentBytes(whole);
  if (bytes <= maxBytes) return whole;
  const text = whole
    .map((block) => ('text' in block ? block.text : 'json' in block ? jsonText(block.json) : ''))
    .filter((part) => part !== '')
    .join('\n');
  const shown = textPrefix(text, Math.max(0, maxBytes - noteBytes));
  return [
    {
      text: `${shown}\n[error text shortened: ${Buffer.byteLength(shown, 'utf8')} of ${bytes} bytes shown]`.trimStart(),
    },
  ];
}
