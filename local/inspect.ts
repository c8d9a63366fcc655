import { readOutputs } from './deploy.ts';
import { executionStates, statesTable } from './execution-states.ts';
import { functionLogs } from './function-logs.ts';
import { runningPlatform } from './running.ts';

/** `npm run -s states -- <agent> <runId>` and `npm run -s logs [-- <function>]`, about a platform that is running. */
async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const [what, first, second] = process.argv.slice(2);
  if (what === 'states' && first !== undefined && second !== undefined) {
    const { folder, url } = runningPlatform();
    const flows = JSON.parse(readOutputs(folder)['FlowArns'] ?? '{}') as Record<string, string>;
    const flow = flows[first];
    if (flow === undefined) throw new Error(`there is no flow ${first}; there are ${Object.keys(flows).join(', ')}`);
    const execution = `${flow.replace(':stateMachine:', ':execution:')}:${second}`;
    process.stdout.write(`${statesTable(await executionStates(url, execution))}\n`);
    return 0;
  }
  if (what === 'logs' && first?.startsWith('-') !== true) {
    const lines = await functionLogs(runningPlatform().url, first);
    if (first !== undefined && lines.length === 0) throw new Error(`no function ${first} has logged anything`);
    for (const { at, group, message } of lines) {
      process.stdout.write(`${new Date(at).toISOString()} ${group.replace('/aws/lambda/', '')} ${message}\n`);
    }
    return 0;
  }
  process.stderr.write('npm run -s states -- <agent> <runId>\nnpm run -s logs [-- <function, without prefix>]\n');
  return 2;
}

// A reader that has seen enough (`| head`) closes the pipe: no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
