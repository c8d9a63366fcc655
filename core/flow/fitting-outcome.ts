import type { ContentBlock } from '../content/block.ts';
import type { ToolOutcome } from '../run/outcomes.ts';

/** An outcome is one item of at most 300 KB; this leaves room for its other fields. */
const maxContentBytes = 280 * 1024;

/**
 * The outcome with content that one item can hold. Text and JSON are bounded before; pictures and files are not, so
 * the largest of them are replaced by a sentence until the rest fits.
 */
export function fittingOutcome(outcome: ToolOutcome): ToolOutcome {
  const content = [...outcome.content];
  while (size(content) > maxContentBytes) {
    const [largest] = content
      .map((block, position) => ({ position, bytes: size([block]) }))
      .sort((left, right) => right.bytes - left.bytes);
    if (largest === undefined || largest.bytes < 1_024) break;
    content[largest.position] = {
      text: `[a block of ${largest.bytes} bytes is too large for one answer and was left out]`,
    };
  }
  return { ...outcome, content };
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
