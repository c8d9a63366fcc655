import type { ToolDefinition } from '../../core/tool/tool-definition.ts';

export const flightsTool: ToolDefinition = {
  name: 'flights',
  version: '1',
  description:
    'Flights of one month: a list of records with delay (minutes, negative is early), distance (miles) and time ' +
    '(hour of departure).',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  intake: 'answer',
  roles: ['ops', 'analyst'],
  retry: 'idempotent',
  budgetBytes: 24 * 1024,
  timeoutMs: 30_000,
  population: 'finite',
};
