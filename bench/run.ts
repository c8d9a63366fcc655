import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run bench [-- NAME …]`: every `bench/<name>.bench.ts`, each in a process of its own so that none warms another. */
const folder = import.meta.dirname;
const wanted = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
  .filter((name) => wanted.length === 0 || wanted.includes(name));

let failed = names.length === 0;
for (const name of names) {
  process.stdout.write(`\n## ${name}\n`);
  const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', join(folder, `${name}.bench.ts`)], {
    stdio: 'inherit',
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  failed ||= code !== 0;
}
process.exitCode = failed ? 1 : 0;
