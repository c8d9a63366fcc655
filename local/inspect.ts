import { isRunning } from './command.ts';
import { readOutputs } from './deploy.ts';
import { executionStates, statesTable } from './execution-states.ts';
import { localFolder } from './folder.ts';
import { functionLogs } from './function-logs.ts';
import { readMemory } from './memory.ts';

/** `npm run -s states -- <agent> <runId>` and `npm run -s logs [-- <function>]`, about a platform that is running. */
async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const [what, first, second] = process.argv.slice(2);
  const folder = localFolder();
  const memory = readMemory(folder);
  if (memory?.emulatorPid === undefined || !isRunning(memory.emulatorPid)) {
    process.stderr.write('the local platform is not running: start it with `npm start`\n');
    return 1;
  }
  const emulator = `http://127.0.0.1:${memory.port}`;
  if (what === 'states' && first !== undefined && second !== undefined) {
    const flows = JSON.parse(readOutputs(folder)['FlowArns'] ?? '{}') as Record<string, string>;
    const flow = flows[first];
    if (flow === undefined) {
      process.stderr.write(`there is no flow ${first}; there are ${Object.keys(flows).join(', ')}\n`);
      return 2;
    }
    const execution = `${flow.replace(':stateMachine:', ':execution:')}:${second}`;
    process.stdout.write(`${statesTable(await executionStates(emulator, execution))}\n`);
    return 0;
  }
  if (what === 'logs') {
    for (const { at, group, message } of await functionLogs(emulator, first)) {
      process.stdout.write(`${new Date(at).toISOString()} ${group.replace('/aws/lambda/', '')} ${message}\n`);
    }
    return 0;
  }
  process.stderr.write('npm run -s states -- <agent> <runId>\nnpm run -s logs [-- <function, without prefix>]\n');
  return 2;
}

process.exitCode = await main();
