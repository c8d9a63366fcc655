import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { argumentsOf, refuse } from '../scripts/arguments.ts';

/** Every `bench/<name>.bench.ts`, each in a process of its own so that none warms another. */
const folder = import.meta.dirname;
const known = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''));
const command = {
  name: 'bench',
  usage: `npm run bench [-- NAME …]

Measures, each benchmark in a process of its own; exit status 1 when one misses its bound. Without a name all of them:
${known.join(', ')}
`,
  positionals: known,
};
const wanted = argumentsOf(command).positionals;
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) refuse(command, `${unknown}: expected one of ${known.join(', ')}`);
const names = known.filter((name) => wanted.length === 0 || wanted.includes(name));

let failed = false;
for (const name of names) {
  process.stdout.write(`\n## ${name}\n`);
  const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', join(folder, `${name}.bench.ts`)], {
    stdio: 'inherit',
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  failed ||= code !== 0;
}
process.exitCode = failed ? 1 : 0;
