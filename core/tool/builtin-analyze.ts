import { analyzePythonPrompt, analyzeResultPrompt } from '../../prompts/analyze-result.ts';
import type { JsonObject } from '../json.ts';
import { refSchema } from './builtin-tools.ts';
import { type ToolCatalogue, type ToolDefinition, toolCatalogue } from './tool-definition.ts';

const column = { type: 'string', minLength: 1, maxLength: 200 } as const;
const words = { type: 'string', minLength: 1, maxLength: 200 } as const;

/** Computation over stored results, answered by the platform's broker and never stored again unless kept on request. */
export const analyzeResultTool: ToolDefinition = {
  name: 'analyze_result',
  version: '1',
  description: analyzeResultPrompt,
  intake: 'answer',
  roles: ['*'],
  retry: 'idempotent',
  // Fetching, one program, one chart and its uploads, each with a limit of its own; then storing what is kept.
  timeoutMs: 130_000,
  population: 'finite',
  builtin: true,
  budgetBytes: 16 * 1024,
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['inputs'],
    properties: {
      inputs: {
        type: 'object',
        minProperties: 1,
        maxProperties: 8,
        propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' },
        additionalProperties: refSchema,
        description: 'Name → reference, e.g. {"data": "<ref>"}. The names are the tables.',
      },
      sql: { type: 'string', description: 'One SELECT over the inputs.' },
      script: {
        type: 'string',
        description: 'JavaScript statements that return a value; rows(name) gives the records.',
      },
      chart: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'x'],
        properties: {
          type: { type: 'string', enum: ['bar', 'line', 'area', 'point'] },
          x: { ...column, description: 'Column on the x axis.' },
          y: { ...column, description: 'Column with the numbers; may be left out with aggregate "count".' },
          series: { ...column, description: 'One colour for each value of this column, at most 20.' },
          aggregate: { type: 'string', enum: ['sum', 'mean', 'min', 'max', 'count'] },
          title: words,
          x_title: words,
          y_title: words,
          unit: { type: 'string', minLength: 1, maxLength: 20, description: 'Of y, e.g. "ms".' },
          sort: { type: 'string', enum: ['rows', 'x', 'y', 'y_descending'] },
          theme: { type: 'string', enum: ['light', 'dark'] },
          width: { type: 'integer', minimum: 200, maximum: 1600 },
          height: { type: 'integer', minimum: 150, maximum: 1200 },
        },
      },
      keep: { type: 'boolean', description: 'Store the whole answer as a result with a reference of its own.' },
    },
  },
};

/** The same where a Code Interpreter is named: one more argument. */
export const analyzeResultWithPython: ToolDefinition = {
  ...analyzeResultTool,
  description: `${analyzeResultPrompt}\n\n${analyzePythonPrompt}`,
  inputSchema: {
    ...analyzeResultTool.inputSchema,
    properties: {
      ...(analyzeResultTool.inputSchema['properties'] as JsonObject),
      python: { type: 'string', description: 'Python that leaves its answer in result; rows(name) gives the records.' },
    },
  },
};

/** The catalogue as a model is shown it: Python is among the ways to analyse only where it can be run. */
export function offeringPython(tools: ToolCatalogue, offered: boolean): ToolCatalogue {
  if (!offered) return tools;
  return toolCatalogue(
    tools.all().map((tool) => (tool.name === analyzeResultTool.name ? analyzeResultWithPython : tool)),
  );
}
