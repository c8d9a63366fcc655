import type { JsonObject } from '../../../core/json.ts';
import type { Answered, Conversation, DataReference } from '../conversation.ts';
import { isObject } from '../request.ts';
import type { Call, Move, Script } from './move.ts';
import { type Subject, subjects } from './subjects.ts';

/**
 * The model's ordinary way with a question: asks for the tools that know the subject, all in one turn; goes on to
 * compute or to read the end of the list where the preview does not reach; then answers with what it was told.
 */
export const subject: Script = {
  name: 'subject',
  plays(conversation) {
    const wanted = subjects.filter(
      ({ words, tool }) => words.test(conversation.question) && conversation.offered.has(tool),
    );
    if (wanted.length === 0) return undefined;
    const missing = wanted.filter(({ tool }) => !conversation.answered.some((answer) => answer.tool === tool));
    if (missing.length > 0) {
      return { call: missing.map(({ tool, input }) => ({ tool, input: input(conversation.question) })) };
    }
    const steps = wanted.flatMap((row) => nextStep(row, conversation));
    if (steps.length > 0) return { call: steps };
    return { say: wanted.map((row) => answerOf(row, conversation)).join('\n\n') } satisfies Move;
  },
};

function nextStep(row: Subject, { question, offered, answered }: Conversation): readonly Call[] {
  const reference = answered.find(({ tool }) => tool === row.tool)?.reference;
  if (reference === undefined || followUp(row, answered) !== undefined) return [];
  const analysis = row.analyses.find(({ words }) => words.test(question));
  if (analysis !== undefined && offered.has('analyze_result')) {
    const { sql, chart } = analysis;
    const input = { inputs: { data: reference.ref }, sql, ...(chart === undefined ? {} : { chart }) };
    return [{ tool: 'analyze_result', input }];
  }
  if (reference.coverage['input_complete'] === true || !offered.has('read_result')) return [];
  const last = lastUnit(reference);
  return last === undefined ? [] : [{ tool: 'read_result', input: last(row) }];
}

/** The read of the list's last record: where a shortened view hides what matters. */
function lastUnit(reference: DataReference): ((row: Subject) => JsonObject) | undefined {
  const total = reference.coverage['total'] ?? reference.records;
  if (typeof total !== 'number' || total < 1) return undefined;
  if (reference.coverage['unit'] === 'lines') {
    return () => ({ ref: reference.ref, lines: `${total}-${total}` });
  }
  return ({ fields }) => {
    const known = fields?.filter((field) => reference.fields.includes(field)) ?? [];
    const place = { ref: reference.ref, offset: total - 1, limit: 1 };
    return known.length === 0 ? place : { ...place, fields: known };
  };
}

/** The read or analysis that was done about this subject's result. */
function followUp(row: Subject, answered: readonly Answered[]): Answered | undefined {
  const ref = answered.find(({ tool }) => tool === row.tool)?.reference?.ref;
  return answered.find(
    ({ tool, input }) =>
      (tool === 'read_result' || tool === 'analyze_result') && ref !== undefined && JSON.stringify(input).includes(ref),
  );
}

/** What a read or an analysis delivered, without the coverage and version around it. */
function delivered(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const data = isObject(parsed) ? (parsed['data'] ?? parsed['rows'] ?? parsed) : parsed;
    return typeof data === 'string' ? data : JSON.stringify(data);
  } catch {
    return text;
  }
}

/** Where the chart of an analysis can be downloaded, when it has one. */
function chartLink(text: string): string | undefined {
  try {
    const chart = (JSON.parse(text) as { readonly chart?: { readonly download_url?: unknown } }).chart;
    return typeof chart?.download_url === 'string' ? chart.download_url : undefined;
  } catch {
    return undefined;
  }
}

function answerOf(row: Subject, { answered }: Conversation): string {
  const answer = answered.find(({ tool }) => tool === row.tool);
  if (answer === undefined) return `I know nothing about ${row.noun}.`;
  if (answer.failed) return `${row.tool} failed: ${answer.text.slice(0, 500)}`;
  const { reference } = answer;
  if (reference === undefined) return `${row.tool} answered: ${answer.text.slice(0, 1_000)}`;
  const { coverage } = reference;
  const total = coverage['total'] ?? reference.records;
  const held = total === null || total === undefined ? 'an unknown number of' : String(total);
  const lines = [
    coverage['input_complete'] === null
      ? `The search was executed; ${reference.records ?? held} hits are held (${reference.bytes} bytes).`
      : `${row.tool} holds ${held} ${coverage['unit'] === 'lines' ? 'lines' : row.noun} (${reference.bytes} bytes).`,
  ];
  const more = followUp(row, answered);
  if (more !== undefined) {
    const what = more.tool === 'analyze_result' ? 'Computed over all of it' : 'The last one';
    lines.push(
      more.failed
        ? `Looking further failed: ${more.text.slice(0, 300)}`
        : `${what}: ${delivered(more.text).slice(0, 800)}`,
    );
    const chart = more.failed ? undefined : chartLink(more.text);
    if (chart !== undefined) lines.push(`Chart: ${chart}`);
  } else if (coverage['input_complete'] === true) lines.push('I was shown all of it.');
  else lines.push(`I was shown ${String(coverage['loaded'] ?? 'a part')} of them.`);
  lines.push(`Download: ${reference.downloadUrl}`);
  return lines.join('\n');
}
