import { createHash } from 'node:crypto';
import type { CountedPiece } from './tokens.ts';
import { sum } from './tokens.ts';

/** How the tokens of one request's input divide; the three add up to the whole input. */
export interface InputUsage {
  readonly inputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheWriteInputTokens: number;
}

/**
 * The service's prompt cache: a prefix that ends at a cache point is kept; a later request of the same model that
 * begins with exactly that prefix reads it. Nothing is cached below the service's minimum.
 */
export class PromptCache {
  readonly #prefixes = new Set<string>();

  /** Accounts for one accepted request and remembers its prefixes. */
  account(modelId: string, pieces: readonly CountedPiece[]): InputUsage {
    const digest = createHash('sha256').update(modelId);
    let tokens = 0;
    let read = 0;
    let written = 0;
    for (const piece of pieces) {
      tokens += piece.tokens;
      if (!piece.cachePoint) {
        digest.update('\0').update(piece.identity);
        continue;
      }
      if (tokens < minimumTokens) continue;
      const prefix = digest.copy().digest('hex');
      if (this.#prefixes.has(prefix)) read = tokens;
      written = tokens;
      this.#prefixes.add(prefix);
    }
    const total = sum(pieces.map((piece) => piece.tokens));
    const cached = Math.max(read, written);
    return { inputTokens: total - cached, cacheReadInputTokens: read, cacheWriteInputTokens: cached - read };
  }
}

const minimumTokens = 1024;
