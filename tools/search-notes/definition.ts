import type { ToolDefinition } from '../../core/tool/tool-definition.ts';

export const searchNotesTool: ToolDefinition = {
  name: 'search_notes',
  version: '1',
  description: 'Searches the operations notes and answers the notes that match, one note per line, as plain text.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words to look for; all notes when left out.' } },
    additionalProperties: false,
  },
  intake: 'answer',
  roles: ['*'],
  retry: 'idempotent',
  budgetBytes: 16 * 1024,
  timeoutMs: 20_000,
  population: 'open',
};
