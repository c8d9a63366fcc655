import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '../../core/content/block.ts';
import { toolHandler } from '../../lambdas/tool-handler.ts';
import { exampleData } from '../example-data.ts';
import { flightsText } from './rows.ts';

// biome-ignore lint/style/noProcessEnv: a function's own entry point reads its environment once.
const data = exampleData(process.env);
// The stack puts the data file beside the bundled handler.
const text = flightsText(readFileSync(join(import.meta.dirname, 'flights-200k.json'), 'utf8'), data.seed);

export const handler = toolHandler(
  'tool-flights',
  async (): Promise<ToolResult> => ({ status: 'success', content: [{ text }] }),
);
