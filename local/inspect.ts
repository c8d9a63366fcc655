import { argumentsOf, refuse } from '../scripts/arguments.ts';
import { readOutputs } from './deploy.ts';
import { executionStates, statesTable } from './execution-states.ts';
import { functionLogs } from './function-logs.ts';
import { runningPlatform } from './running.ts';

const commands = {
  states: {
    name: 'states',
    usage: `npm run -s states -- AGENT RUN

What each state of a run's execution was given, about a local platform that is running.
`,
    positionals: ['AGENT', 'RUN'],
  },
  logs: {
    name: 'logs',
    usage: `npm run -s logs [-- FUNCTION]

What the functions have logged, all or one (its name without prefix), about a local platform that is running.
`,
    positionals: ['FUNCTION'],
  },
} as const;

async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const [what, ...rest] = process.argv.slice(2);
  return what === 'states' ? states(rest) : logs(rest);
}

async function states(args: readonly string[]): Promise<number> {
  const [agent, runId] = argumentsOf(commands.states, args).positionals;
  if (agent === undefined) return refuse(commands.states, 'AGENT: expected the agent of a run');
  if (runId === undefined) return refuse(commands.states, 'RUN: expected the id of a run');
  // Before it is looked for: the service would answer about an ARN that nobody has written.
  if (!/^[0-9a-f]{32}$/.test(runId)) {
    return refuse(commands.states, `RUN: expected 32 hexadecimal digits (0-9, a-f), found ${runId}`);
  }
  const { folder, url } = runningPlatform();
  const flows = JSON.parse(readOutputs(folder)['FlowArns'] ?? '{}') as Record<string, string>;
  const flow = Object.hasOwn(flows, agent) ? flows[agent] : undefined;
  if (flow === undefined) {
    return refuse(commands.states, `AGENT: expected one of ${Object.keys(flows).join(', ')}, found ${agent}`);
  }
  const execution = `${flow.replace(':stateMachine:', ':execution:')}:${runId}`;
  process.stdout.write(`${statesTable(await executionStates(url, execution))}\n`);
  return 0;
}

async function logs(args: readonly string[]): Promise<number> {
  const [name] = argumentsOf(commands.logs, args).positionals;
  const lines = await functionLogs(runningPlatform().url, name);
  if (name !== undefined && lines.length === 0) throw new Error(`no function ${name} has logged anything`);
  for (const { at, group, message } of lines) {
    process.stdout.write(`${new Date(at).toISOString()} ${group.replace('/aws/lambda/', '')} ${message}\n`);
  }
  return 0;
}

// A reader that has seen enough (`| head`) closes the pipe: no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
