import { samples } from '../../../bench/estimator-samples.ts';
import { tokenizers } from '../../../bench/tokenizers.ts';
import { textTokens } from '../../../core/guard/text-tokens.ts';

describe('the estimate against real tokenizers', () => {
  it.each(samples)('is never below any of them for $name', ({ name, text }) => {
    const estimate = Math.ceil(textTokens(text));
    for (const tokenizer of tokenizers) {
      const counted = tokenizer.count(text);
      expect([tokenizer.name, estimate >= counted]).toEqual([tokenizer.name, true]);
      if (name === 'English prose') expect(estimate / counted).toBeLessThanOrEqual(3);
    }
  });
});
