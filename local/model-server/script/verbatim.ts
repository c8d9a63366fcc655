import type { JsonObject } from '../../../core/json.ts';
import type { Conversation } from '../conversation.ts';
import { isObject } from '../request.ts';
import type { Call, Move, Script } from './move.ts';

/**
 * Does exactly what a message spells out, offered or not, as a model can be talked into anything: lines
 * `call <tool> with <JSON object>`; a line `then` ends a turn. `$ref` in the JSON is the latest reference seen.
 * When all is done it repeats what the tools said, at most 2,000 characters each.
 */
export const verbatim: Script = {
  name: 'verbatim',
  plays(conversation) {
    const turns = plan(conversation.question);
    if (turns.length === 0) return undefined;
    const turn = turns[conversation.steps];
    if (turn === undefined) return { say: report(conversation) };
    return { call: turn.map((call) => withReferences(call, conversation)) } satisfies Move;
  },
};

function plan(question: string): readonly (readonly Call[])[] {
  const turns: Call[][] = [[]];
  for (const line of question.split('\n')) {
    const spelled = /^\s*call\s+(\S+)\s+with\s+(\{.*\})\s*$/.exec(line);
    if (spelled !== null) {
      const input: unknown = JSON.parse(spelled[2] ?? '{}');
      turns.at(-1)?.push({ tool: spelled[1] ?? '', input: isObject(input) ? (input as JsonObject) : {} });
    } else if (line.trim() === 'then') turns.push([]);
  }
  return turns.filter((turn) => turn.length > 0);
}

function withReferences(call: Call, conversation: Conversation): Call {
  const ref = conversation.references.at(-1) ?? 'unknown';
  return { tool: call.tool, input: JSON.parse(JSON.stringify(call.input).replaceAll('$ref', () => ref)) as JsonObject };
}

function report({ answered }: Conversation): string {
  const lines = answered.map(({ tool, failed, text, reference }) => {
    const link = reference === undefined ? '' : ` Download: ${reference.downloadUrl}`;
    return `${tool} ${failed ? 'failed' : 'answered'}: ${text.slice(0, 2_000)}${link}`;
  });
  return lines.join('\n');
}
