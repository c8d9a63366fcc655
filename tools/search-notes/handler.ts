import * as z from 'zod/mini';
import type { ToolResult } from '../../core/content/block.ts';
import { toolHandler } from '../../lambdas/tool-handler.ts';
import { exampleData } from '../example-data.ts';
import { notes } from './notes.ts';

const input = z.strictObject({ query: z.optional(z.string().check(z.maxLength(1_000))) });
// biome-ignore lint/style/noProcessEnv: a function's own entry point reads its environment once.
const data = exampleData(process.env);

export const handler = toolHandler('tool-search-notes', async (event): Promise<ToolResult> => {
  const parsed = input.safeParse(event.input);
  if (!parsed.success) {
    return { status: 'error', content: [{ text: 'search_notes: expected {query?: string}' }] };
  }
  const text = notes(data.seed, parsed.data.query).trimEnd();
  return { status: 'success', content: [{ text: text === '' ? 'No note matches.' : text }] };
});
