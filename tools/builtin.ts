import type { ToolDefinition } from '../core/tool/tool-definition.ts';

/** What every tool that the platform answers itself has in common: anyone may ask, grants decide what they get. */
const builtin = {
  version: '1',
  intake: 'answer',
  roles: ['*'],
  retry: 'idempotent',
  population: 'finite',
  builtin: true,
} as const;

export const listResultsTool: ToolDefinition = {
  ...builtin,
  name: 'list_results',
  description:
    'Lists the stored results that this run may open: reference, tool, number of records, fields and dates. ' +
    'Never content. Use it to find a reference.',
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'Only results of this tool.' },
      cursor: { type: 'string', description: 'The cursor of the page before.' },
    },
    additionalProperties: false,
  },
  budgetBytes: 16 * 1024,
  timeoutMs: 15_000,
};

export const readResultTool: ToolDefinition = {
  ...builtin,
  name: 'read_result',
  description:
    'Reads part of a stored result: whole records from offset on, only the named fields, or exactly the records with ' +
    'the given ids. The answer says how much of the whole it is (coverage). Lines for text results.',
  inputSchema: {
    type: 'object',
    properties: {
      ref: { type: 'string', description: 'The reference, <session>/<id>.' },
      fields: { type: 'array', items: { type: 'string' }, description: 'Fields to keep, in this order.' },
      offset: { type: 'integer', minimum: 0, description: 'First record, counted from 0.' },
      limit: { type: 'integer', minimum: 0, description: 'Number of records.' },
      ids: { type: 'array', items: { type: 'string' }, description: 'Values of the identifying field.' },
      lines: {
        type: 'object',
        properties: { from: { type: 'integer', minimum: 0 }, count: { type: 'integer', minimum: 0 } },
        additionalProperties: false,
      },
      bytes: {
        type: 'object',
        properties: { from: { type: 'integer', minimum: 0 }, count: { type: 'integer', minimum: 0 } },
        additionalProperties: false,
      },
    },
    required: ['ref'],
    additionalProperties: false,
  },
  budgetBytes: 24 * 1024,
  timeoutMs: 30_000,
};
