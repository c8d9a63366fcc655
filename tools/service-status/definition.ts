import type { ToolDefinition } from '../../core/tool/tool-definition.ts';

export const serviceStatusTool: ToolDefinition = {
  name: 'service_status',
  version: '1',
  description:
    'Status report of every service in every region: one document whose list of services is under report.services, ' +
    'each with id, region, team, status (ok, degraded or failing) and details.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  intake: 'wrapper',
  roles: ['ops'],
  retry: 'idempotent',
  budgetBytes: 24 * 1024,
  timeoutMs: 60_000,
  identity: { field: 'id' },
  population: 'finite',
};
