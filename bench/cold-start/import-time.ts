import { spawnSync } from 'node:child_process';

/**
 * CPU milliseconds (all threads, user and system) that a fresh process of `node` needs to import `file`. CPU time and
 * not the clock: on a busy machine the clock tells how long the process waited for its turn.
 */
export function importTime(node: string, file: string, variables: Readonly<Record<string, string>>): number {
  const program = [
    'const before = process.cpuUsage();',
    `await import(${JSON.stringify(file)});`,
    'const { user, system } = process.cpuUsage(before);',
    'process.stdout.write(String((user + system) / 1000));',
    'process.exit(0);',
  ].join('\n');
  const child = spawnSync(node, ['--no-warnings', '--input-type=module', '-e', program], {
    env: { ...variables, AWS_REGION: 'eu-central-1', AWS_LAMBDA_FUNCTION_NAME: 'bench' },
    encoding: 'utf8',
  });
  const time = Number.parseFloat(child.stdout);
  if (!Number.isFinite(time)) throw new Error(`${file} could not be imported:\n${child.stderr.slice(-1_000)}`);
  return time;
}
