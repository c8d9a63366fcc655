import type { ToolDefinition } from '../../core/tool/tool-definition.ts';
import { ordersPrompt } from '../../prompts/orders.ts';
import { defaultLimit, maxLimit, statuses } from './choices.ts';

export const ordersTool: ToolDefinition = {
  name: 'list_orders',
  version: '1',
  description: ordersPrompt,
  inputSchema: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: [...statuses] },
      country: { type: 'string', pattern: '^[A-Z]{2}$', description: 'Two letters, e.g. DE.' },
      customer: { type: 'string', description: 'The exact name.' },
      from: { type: 'string', format: 'date-time', description: 'Ordered at this instant or later.' },
      before: { type: 'string', format: 'date-time', description: 'Ordered before this instant.' },
      limit: {
        type: 'integer',
        minimum: 0,
        maximum: maxLimit,
        description: `At most so many rows; ${defaultLimit} when left out.`,
      },
      offset: { type: 'integer', minimum: 0, description: 'Rows to pass over. Default 0.' },
    },
    additionalProperties: false,
  },
  intake: 'wrapper',
  exports: true,
  roles: ['ops', 'analyst'],
  retry: 'idempotent',
  budgetBytes: 24 * 1024,
  timeoutMs: 120_000,
  identity: { field: 'id' },
  population: 'finite',
};
