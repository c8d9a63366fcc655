import { textTokens } from '../core/guard/text-tokens.ts';
import { samples } from './estimator-samples.ts';
import { llamaTokenizer } from './llama-tokenizer.ts';
import { tokenizers as others } from './tokenizers.ts';

const tokenizers = [...others, llamaTokenizer];

/**
 * The table of docs/estimator.md: tokens estimated and counted, per content class. Fails when the estimate is below a
 * tokenizer's count, or more than three times above every one of them for English prose.
 */
const head = ['class', 'bytes', 'estimate', ...tokenizers.map(({ name }) => name), 'estimate ÷ highest', '÷ lowest'];
process.stdout.write(`| ${head.join(' | ')} |\n|${head.map((_, at) => (at === 0 ? '---' : '--:')).join('|')}|\n`);
for (const { name, text } of samples) {
  const estimate = Math.ceil(textTokens(text));
  const counts = tokenizers.map(({ count }) => count(text));
  const highest = estimate / Math.max(...counts);
  const lowest = estimate / Math.min(...counts);
  const row = [name, Buffer.byteLength(text, 'utf8'), estimate, ...counts, highest.toFixed(2), lowest.toFixed(2)];
  process.stdout.write(`| ${row.join(' | ')} |\n`);
  if (highest < 1 || (name === 'English prose' && lowest > 3)) process.exitCode = 1;
}
