import type { Conversation } from '../conversation.ts';
import type { Call, Move, Script } from './move.ts';
import { subjects } from './subjects.ts';

/**
 * The three agents of the research flow, each as careless as a real one can be: the fetcher paraphrases link and total
 * (and, asked for detail, at such length that its text is shortened on the way); the analyst reads what the facts name
 * and never the text; the writer leaves link and total out. What the person gets beside the answer is the platform's.
 */
export const research: Script = {
  name: 'research',
  plays(conversation) {
    if (conversation.system.includes('You collect: ')) return fetcher(conversation);
    if (conversation.system.includes('You weigh what the fetcher holds: ')) return analyst(conversation);
    if (conversation.system.includes('You write the answer for a person')) return writer(conversation);
    return undefined;
  },
};

function fetcher({ question, offered, answered }: Conversation): Move | undefined {
  const wanted = subjects.filter(({ words, tool }) => words.test(question) && offered.has(tool));
  if (wanted.length === 0) return undefined;
  const missing = wanted.filter(({ tool }) => !answered.some((answer) => answer.tool === tool));
  if (missing.length > 0) return { call: missing.map(({ tool, input }) => ({ tool, input: input(question) })) };
  const words = wanted.map(({ tool, noun }) => {
    const { records, sha256 } = answered.find((answer) => answer.tool === tool)?.reference ?? {};
    const about = records == null ? 'some' : `roughly ${Math.round(records / 1_000)} thousand`;
    const found = `I got hold of ${about} ${noun}; all of them are at https://files.example/${tool}.`;
    return /\bin detail\b/i.test(question)
      ? `${found}\n${remarks}The digest of ${tool} begins with ${String(sha256).slice(0, 12)}.`
      : found;
  });
  return { say: words.join('\n') };
}

/** More than a hand-off passes on, so that what stands behind it is in the stored text alone. */
const remarks = Array.from(
  { length: 200 },
  (_, n) => `Remark ${n + 1}: nothing out of the ordinary was noticed here.\n`,
).join('');

function analyst({ question, answered }: Conversation): Move {
  const calls = [...lastRecords(question), ...lastBytes(question)];
  if (answered.length === 0 && calls.length > 0) return { call: calls };
  const read = answered.map(({ failed, text }) =>
    failed ? `Reading failed: ${text}` : `At the end stands: ${dataOf(text)}`,
  );
  return { say: read.length === 0 ? 'There was nothing to weigh.' : read.join('\n') };
}

/** The last record of each result that the facts on top name. */
function lastRecords(handedOn: string): readonly Call[] {
  const facts = handedOn.matchAll(
    /^- ref: (\S+)\n- total: (?:the search was executed, )?(\d+) (records|lines|hits?)/gm,
  );
  return [...facts].map(([, ref = '', total = '', unit]) => ({
    tool: 'read_result',
    input: unit === 'lines' ? { ref, lines: `${total}-${total}` } : { ref, offset: Number(total) - 1, limit: 1 },
  }));
}

/** The end of the delegate's text, where it was shortened. */
function lastBytes(handedOn: string): readonly Call[] {
  const shortened = /the first \d+ of (\d+) bytes; the whole text is ref ([0-9a-f/]+)/.exec(handedOn);
  if (shortened === null) return [];
  const [, bytes = '0', ref = ''] = shortened;
  return [{ tool: 'read_result', input: { ref, bytes: `${Math.max(0, Number(bytes) - 60)}-${Number(bytes) - 1}` } }];
}

function dataOf(text: string): string {
  try {
    const { data } = JSON.parse(text) as { readonly data?: unknown };
    return typeof data === 'string' ? data : JSON.stringify(data);
  } catch {
    return text;
  }
}

/** Repeats what the analyst wrote, the block of references behind it left away. */
function writer({ question }: Conversation): Move {
  const said = /What \S+ wrote [^\n]*\n\n([\s\S]*)$/.exec(question)?.[1] ?? '';
  return { say: `There are a good many of them.\n${said.replace(/\n\{"data_references":[\s\S]*$/, '')}` };
}
