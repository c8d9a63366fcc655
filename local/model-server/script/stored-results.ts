import type { Script } from './move.ts';

/** Questions about what earlier messages have left behind: lists it, and reads the first record when asked to. */
export const storedResults: Script = {
  name: 'stored results',
  plays({ question, offered, answered, references }) {
    if (!/\b(stored|earlier|previous) results?\b/i.test(question) || !offered.has('list_results')) return undefined;
    const listed = answered.find(({ tool }) => tool === 'list_results');
    if (listed === undefined) return { call: [{ tool: 'list_results', input: {} }] };
    const read = answered.find(({ tool }) => tool === 'read_result');
    const ref = references.at(-1);
    if (/\b(read|open|first)\b/i.test(question) && read === undefined && ref !== undefined) {
      return { call: [{ tool: 'read_result', input: { ref, offset: 0, limit: 1 } }] };
    }
    if (read !== undefined) return { say: `The stored result begins with: ${read.text.slice(0, 1_000)}` };
    return { say: `Stored results: ${listed.text.slice(0, 1_000)}` };
  },
};
