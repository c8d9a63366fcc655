import { listResultsPrompt } from '../../prompts/list-results.ts';
import { readResultPrompt } from '../../prompts/read-result.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** `<session>/<id>`, as a schema that models follow; the core checks it again. */
export const refSchema = {
  type: 'string',
  pattern: '^[0-9a-f]{32}/[0-9a-f]{32}$',
  description: 'Reference of a stored result, as a data reference, a marker or list_results gave it.',
} as const;

/** Fields, offset and limit: what a read asks for, and what may ride on another tool's call. */
export const pageSchema = {
  fields: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 100,
    description: 'Only these fields, as dotted paths. Left out: whole records.',
  },
  offset: { type: 'integer', minimum: 0, description: 'First record (line), counted from 0. Default 0.' },
  limit: { type: 'integer', minimum: 1, description: 'At most this many records (lines).' },
} as const;

const shared = {
  version: '1',
  intake: 'answer',
  roles: ['*'],
  retry: 'idempotent',
  timeoutMs: 20_000,
  population: 'finite',
  builtin: true,
} as const;

/** Answered by the platform, offered in every request of a run, never stored again (DESIGN 5.7, 8). */
export const listResultsTool: ToolDefinition = {
  ...shared,
  name: 'list_results',
  description: listResultsPrompt,
  budgetBytes: 16 * 1024,
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      tool: { type: 'string', description: 'Only results of this tool.' },
      cursor: { type: 'string', description: 'next_cursor of the page before.' },
    },
  },
};

export const readResultTool: ToolDefinition = {
  ...shared,
  name: 'read_result',
  // A look-up by ids passes over the whole result.
  timeoutMs: 50_000,
  description: readResultPrompt,
  budgetBytes: 128 * 1024,
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['ref'],
    properties: {
      ref: refSchema,
      ...pageSchema,
      ids: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        minItems: 1,
        maxItems: 1000,
        description: 'The records with these identifiers. Write identifiers of more than 15 digits as strings.',
      },
      lines: { type: 'string', pattern: '^[0-9]+-[0-9]+$', description: 'Lines A-B of a text, both included, from 1.' },
      bytes: {
        type: 'string',
        pattern: '^[0-9]+-[0-9]+$',
        description: 'Bytes A-B of the stored copy, both included, from 0.',
      },
      part: { type: 'integer', minimum: 1, description: 'Which part of the one wide record at offset.' },
    },
  },
};
