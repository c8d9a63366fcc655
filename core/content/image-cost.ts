import type { ImageBlock } from './block.ts';
import { imageSize } from './image-size.ts';

/** Claude's vision guide: an image costs one token per patch of 28 × 28 pixels, the last row and column padded. */
const patch = 28;
/**
 * The most that one image costs after the service has scaled it down: 4,784 tokens for the models of the highest
 * resolution (long edge 2,576 pixels); earlier ones stop at 1,568 tokens (long edge 1,568). The higher number is used for
 * all, so that no image is estimated too low.
 */
export const maxImageTokens = 4_784;
const maxEdge = 2_576;

/** Tokens of an image block by its pixels, never by its bytes (case H019); the maximum where the pixels are not known. */
export function imageTokens(block: ImageBlock): number {
  const { source } = block.image;
  const size = 'bytes' in source ? imageSize(source.bytes) : null;
  if (size === null) return maxImageTokens;
  const scale = Math.min(1, maxEdge / Math.max(size.width, size.height));
  const patches = Math.ceil((size.width * scale) / patch) * Math.ceil((size.height * scale) / patch);
  return Math.min(maxImageTokens, Math.max(1, patches));
}
