import type { JsonObject } from '../../../core/json.ts';
import type { Conversation } from '../conversation.ts';
import { isObject } from '../request.ts';
import type { Script } from './move.ts';

const tool = 'list_orders';

/**
 * Questions about orders alone: asks for the list, reads its last row where the question wants it and the inline rows
 * do not reach, and answers as the tool's description demands: the true total, and the link as it stands.
 */
export const lists: Script = {
  name: 'lists',
  plays({ question, offered, answered }) {
    if (!/\borders?\b/i.test(question) || /\b(services?|flights?|notes?)\b/i.test(question) || !offered.has(tool)) {
      return undefined;
    }
    const listed = answered.find((answer) => answer.tool === tool);
    if (listed === undefined) return { call: [{ tool, input: inputOf(question) }] };
    const list = payloadOf(listed.text);
    if (listed.failed || list === undefined) return { say: `${tool} answered: ${listed.text.slice(0, 1_000)}` };
    const { ref, rows_exported: held } = list;
    const read = answered.find((answer) => answer.tool === 'read_result');
    if (/\blast\b/i.test(question) && read === undefined && typeof ref === 'string' && Number(held) > 0) {
      return { call: [{ tool: 'read_result', input: { ref, offset: Number(held) - 1, limit: 1 } }] };
    }
    return { say: answerOf(list, read) };
  },
};

function answerOf(list: JsonObject, read: Conversation['answered'][number] | undefined): string {
  const { total_matching: total, rows_exported: held, rows_inline: shown, download_url: link } = list;
  const lines = [
    total === null ? 'How many orders match is not known.' : `${total} orders match.`,
    link === null
      ? `Nothing was kept: there is no file. I was shown ${shown} of them.`
      : `The file holds ${held}${list['truncated'] === true ? ' of them' : ''}; I was shown ${shown}.`,
  ];
  if (read !== undefined) lines.push(`The last row of the file: ${read.text.slice(0, 800)}`);
  if (typeof link === 'string') lines.push(`Download: ${link}`);
  return lines.join('\n');
}

/** "orders from DE", "first 1000 orders", "skip 50", "shipped orders". */
function inputOf(question: string): JsonObject {
  const country = /\bfrom ([A-Z]{2})\b/.exec(question)?.[1];
  const limit = /\b(?:first|limit) (\d+)\b/i.exec(question)?.[1];
  const offset = /\bskip (\d+)\b/i.exec(question)?.[1];
  const status = /\b(open|paid|shipped|returned|cancelled)\b/i.exec(question)?.[1]?.toLowerCase();
  return {
    ...(country === undefined ? {} : { country }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(offset === undefined ? {} : { offset: Number(offset) }),
    ...(status === undefined ? {} : { status }),
  };
}

function payloadOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && 'total_matching' in value ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
