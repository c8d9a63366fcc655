import { isId } from '../reference/reference.ts';
import type { LogFacts } from '../telemetry/telemetry.ts';

/**
 * The ids that a path names, for log lines: a run, a chat, a result, an export. Only what has the strict form of an id;
 * anything else in a path may be somebody's words and is left out.
 */
export function pathIds(path: string): LogFacts {
  const [, area, first = '', second = ''] = path.split('/');
  if (!isId(first)) return {};
  if (area === 'runs') return { runId: first };
  if (area === 'chats') return { session: first };
  if (area === 'exports') return { export: first };
  if (area === 'results' && isId(second)) return { session: first, ref: `${first}/${second}` };
  return {};
}
