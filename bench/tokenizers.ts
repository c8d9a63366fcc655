import { countTokens as claudeTokens } from '@anthropic-ai/tokenizer';
import { countTokens as cl100kTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200kTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Real public tokenizers that the estimate must not fall below. */
export const tokenizers: readonly { readonly name: string; readonly count: (text: string) => number }[] = [
  { name: 'o200k', count: (text) => o200kTokens(text) },
  { name: 'cl100k', count: (text) => cl100kTokens(text) },
  { name: 'Claude (2023)', count: (text) => claudeTokens(text) },
];
