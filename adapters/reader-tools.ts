import type { JsonObject } from '../core/json.ts';
import type { Run } from '../core/run/run.ts';
import { listResultsTool, readResultTool } from '../core/tool/builtin-tools.ts';
import type { ReaderAnswer, References } from '../core/wrap/references.ts';

/** A tool that reads what is stored, for any framework to offer to its model. */
export interface ReaderTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  answer(
    run: Run,
    input: unknown,
    options?: { readonly toolUseId?: string; readonly maxBytes?: number },
  ): Promise<ReaderAnswer>;
}

/** `list_results` and `read_result`, and `analyze_result` where the process has an engine for it. */
export function readerTools(references: References): readonly ReaderTool[] {
  const { name, description, inputSchema } = listResultsTool;
  const tools: ReaderTool[] = [
    { name, description, inputSchema, answer: (run, input) => references.list(run, input) },
    {
      name: readResultTool.name,
      description: readResultTool.description,
      inputSchema: readResultTool.inputSchema,
      answer: (run, input, options) => references.read(run, input, options),
    },
  ];
  const { analysis } = references;
  if (analysis !== undefined) {
    tools.push({
      ...analysis.tool,
      answer: (run, input, options) => references.analyze(run, input, options),
    });
  }
  return tools;
}
