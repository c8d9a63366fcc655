import type { ToolDefinition } from '../core/tool/tool-definition.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config.ts';
import { fieldRules } from './tool-fields.ts';

/** Seconds that run-tool needs beside executing a tool: reading the call, writing index, catalogue and outcome. */
const ownWorkSeconds = 30;
/** The longest that Lambda lets any function take. */
const lambdaSeconds = 900;
/** A tool's own function waits a little less than its platform: it ends first and says why. */
export const toolGraceSeconds = 2;

/**
 * Synthesis refuses a tool whose catalogue entry leaves a rule open (DESIGN: no tool without budget, roles and retry
 * class) or says what cannot be. Throws `ConfigError` with a line for each tool and field.
 */
export function checkTools(definitions: readonly ToolDefinition[], config: Config): void {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const tool of definitions) {
    const refused = new Set<string>();
    const refuse = (field: string, message: string) => {
      refused.add(field);
      problems.push(`tool ${String(tool.name)}: ${field} ${message}`);
    };
    for (const rule of fieldRules) rule(tool, refuse, config);
    if (seen.has(tool.name)) refuse('name', 'is used twice');
    seen.add(tool.name);
    if (!refused.has('timeoutMs') && runToolSeconds([tool], config) > lambdaSeconds) {
      refuse(
        'timeoutMs',
        `is ${tool.timeoutMs}: ${config.retry.maxAttempts} executions and an upload take longer than Lambda's ${lambdaSeconds} s`,
      );
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** A tool's function has the rights that its entry speaks of. Throws `ConfigError` naming tool and field. */
export function checkDeployments(
  deployed: readonly { readonly definition: ToolDefinition; readonly wrapper: boolean; readonly entry: string }[],
): void {
  const problems = deployed.flatMap(({ definition: { name, intake }, wrapper, entry }) => {
    const wants = wrapper ? 'wrapper' : 'answer';
    const found: string[] = [];
    if (intake !== wants) found.push(`tool ${name}: intake is ${intake}, and it is deployed with wrapper ${wrapper}`);
    if (entry === '') found.push(`tool ${name}: entry is required: the module that exports handler`);
    return found;
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** What run-tool needs for the slowest tool: every execution, the pauses between, one upload, and its own work. */
export function runToolSeconds(definitions: readonly ToolDefinition[], config: Config): number {
  const { maxAttempts, maxDelayMs } = config.retry;
  const slowest = Math.max(1_000, ...definitions.map((tool) => tool.timeoutMs));
  const executions = maxAttempts * (slowest + toolGraceSeconds * 1_000) + (maxAttempts - 1) * maxDelayMs;
  return Math.ceil((executions + config.storage.uploadTimeoutMs) / 1_000) + ownWorkSeconds;
}

/** The time limit of a tool's own function, in seconds: what its definition says. */
export function toolSeconds(tool: ToolDefinition): number {
  return Math.ceil(tool.timeoutMs / 1_000);
}
