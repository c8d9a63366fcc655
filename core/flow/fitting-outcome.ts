import type { ContentBlock } from '../content/block.ts';
import { sendable } from '../content/sendable.ts';
import type { ToolOutcome } from '../run/outcomes.ts';

/** An outcome is one item of at most 300 KB; this leaves room for its other fields. */
const maxContentBytes = 280 * 1024;

/**
 * The outcome with content that the model service accepts and one item can hold. Text and JSON are bounded before;
 * pictures and files are not, so the largest of them are replaced by a sentence until the rest fits `maxBytes`.
 */
export function fittingOutcome(outcome: ToolOutcome, maxBytes = maxContentBytes): ToolOutcome {
  const content = sendable(outcome.content);
  while (size(content) > maxBytes) {
    const [largest] = content
      .map((block, position) => ({ block, position, bytes: size([block]) }))
      .filter(({ block }) => !('text' in block) && !('json' in block))
      .sort((left, right) => right.bytes - left.bytes);
    if (largest === undefined) return oversized(outcome, maxBytes);
    const kind = Object.keys(largest.block)[0] ?? 'block';
    content[largest.position] = { text: `[${kind} left out: it is too large for one answer]` };
  }
  return { ...outcome, content };
}

/** Only text that its maker should have bounded gets here: said so, rather than cut. */
function oversized(outcome: ToolOutcome, maxBytes: number): ToolOutcome {
  const text = `OversizeResult: the answer is larger than ${maxBytes} bytes; ask for less`;
  return { ...outcome, status: 'error', content: [{ text }] };
}

function size(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + stored(block), 0);
}

function stored(block: ContentBlock): number {
  for (const kind of ['image', 'document', 'video'] as const) {
    const bytes = (block as Record<string, { source?: { bytes?: Uint8Array } }>)[kind]?.source?.bytes;
    if (bytes !== undefined) return Math.ceil(bytes.length / 3) * 4 + 200;
  }
  return Buffer.byteLength(JSON.stringify(block), 'utf8');
}
