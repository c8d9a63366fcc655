import llama3 from 'llama3-tokenizer-js';

/** Apart from the others: the package is an ES module only, which the test runner does not load. */
export const llamaTokenizer = {
  name: 'Llama 3',
  count: (text: string): number => llama3.encode(text, { bos: false, eos: false }).length,
};
