import type { ToolDefinition } from '../core/tool/tool-definition.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config.ts';

/** Seconds that run-tool needs beside executing a tool: reading the call, writing index, catalogue and outcome. */
const ownWorkSeconds = 30;
/** The longest that Lambda lets any function take. */
const lambdaSeconds = 900;
/** A tool's own function waits a little less than its platform: it ends first and says why. */
export const toolGraceSeconds = 2;

/**
 * Synthesis refuses a tool whose catalogue entry leaves a rule open (DESIGN: no tool without budget, roles and retry
 * class). Types say the same, but an entry may come from data. Throws `ConfigError` naming tool and field.
 */
export function checkTools(definitions: readonly ToolDefinition[], config: Config): void {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const tool of definitions) {
    const refuse = (field: string, message: string) => problems.push(`tool ${String(tool.name)}: ${field} ${message}`);
    if (!/^[a-z][a-z0-9_]{0,47}$/.test(tool.name ?? '')) refuse('name', 'must match ^[a-z][a-z0-9_]{0,47}$');
    if (seen.has(tool.name)) refuse('name', 'is used twice');
    seen.add(tool.name);
    if (!Number.isInteger(tool.budgetBytes) || tool.budgetBytes < 1) refuse('budgetBytes', 'is required, in bytes');
    // What the platform answers itself is an explicit read, held to a setting of its own when it runs (DESIGN 5.7).
    else if (!tool.builtin && tool.budgetBytes > config.insert.maxBytes) {
      refuse('budgetBytes', `is ${tool.budgetBytes}, more than insert.maxBytes (${config.insert.maxBytes})`);
    }
    if (!Array.isArray(tool.roles)) refuse('roles', 'is required; an empty list admits nobody');
    if (tool.retry !== 'idempotent' && tool.retry !== 'once') refuse('retry', 'must be idempotent or once');
    if (tool.intake !== 'wrapper' && tool.intake !== 'answer') refuse('intake', 'must be wrapper or answer');
    if (!Number.isInteger(tool.timeoutMs) || tool.timeoutMs < 1) refuse('timeoutMs', 'is required, in milliseconds');
    else if (runToolSeconds([tool], config) > lambdaSeconds) {
      refuse(
        'timeoutMs',
        `is ${tool.timeoutMs}: ${config.retry.maxAttempts} executions and an upload take longer than Lambda's ${lambdaSeconds} s`,
      );
    }
  }
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
