import type { ToolResult } from '../content/block.ts';
import type { ResultBody } from './keeping.ts';

/** Text blocks as they are, JSON blocks as JSON text, in order; media stay beside the body. */
export function plainBody(result: ToolResult): ResultBody {
  const texts = result.content.flatMap((block) =>
    'text' in block ? [block.text] : 'json' in block ? [JSON.stringify(block.json)] : [],
  );
  const structured = result.structuredContent;
  const text = structured === undefined ? texts.join('\n') : JSON.stringify(structured);
  const rest = result.content.filter((block) => !('text' in block) && !('json' in block));
  return {
    bytes: Buffer.from(text, 'utf8'),
    contentType: /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain; charset=utf-8',
    rest,
    leftOut: rest.length === 0 ? [] : [`${rest.length} blocks that are no text`],
  };
}
