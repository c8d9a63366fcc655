import { isRunning } from '../local/command.ts';
import { localFolder } from '../local/folder.ts';
import { functionLogs } from '../local/function-logs.ts';
import { readMemory } from '../local/memory.ts';
import { argumentsOf } from './arguments.ts';
import { figuresOf, figuresTable } from './stats-figures.ts';

const { flags } = argumentsOf({
  name: 'stats',
  usage: `npm run -s stats [-- --json]

The dashboard's figures, from the logs of the local platform that is running.

  --json  as JSON instead of a table
`,
  options: { json: 'flag' },
});

async function main(): Promise<number> {
  const folder = localFolder();
  const memory = readMemory(folder);
  if (memory?.emulatorPid === undefined || !isRunning(memory.emulatorPid)) {
    process.stderr.write('the local platform is not running: start it with `npm start`\n');
    return 1;
  }
  const lines = await functionLogs(`http://127.0.0.1:${memory.port}`);
  const figures = figuresOf(lines);
  const json = flags.has('json');
  process.stdout.write(json ? `${JSON.stringify(figures, null, 2)}\n` : `${figuresTable(figures)}\n`);
  return 0;
}

process.exitCode = await main();
