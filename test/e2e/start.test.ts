import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../local/command.ts';
import { localFolder } from '../../local/folder.ts';
import { readMemory } from '../../local/memory.ts';
import { portIsFree } from '../../local/port.ts';
import { lastService, statusProduced } from './expected.ts';

jest.setTimeout(400_000);
const root = mkdtempSync(join(tmpdir(), 'claimcheck-start-'));
const folder = localFolder(root);
const checkout = resolve(import.meta.dirname, '../..');

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** `npm start -- …` in a process of its own, as a person runs it. */
function npmStart(...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(checkout, 'local', 'start.ts'), '--folder', root, '--records', '5000', ...args],
    { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString('utf8');
  });
  child.stderr.on('data', (data: Buffer) => {
    output += data.toString('utf8');
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { child, ended, output: () => output };
}

test('the first start answers, the second reuses all of it, other data give another answer, a killed emulator is noticed', async () => {
  const first = npmStart('--once');
  expect([await first.ended, first.output()]).toEqual([
    0,
    expect.stringContaining('service_status holds 5000 services'),
  ]);
  const { sha256 } = statusProduced({ records: 5000, seed: 1 });
  expect(first.output()).toContain(`SHA-256 stored      ${sha256}`);
  expect(first.output()).toContain(`SHA-256 downloaded  ${sha256}`);
  expect(first.output()).toMatch(/olivia {2}password \S+/);
  const memory = readMemory(folder);
  expect(memory?.emulatorPid).toBeUndefined();
  expect(await portIsFree(memory?.port ?? 0)).toBe(true);

  const began = Date.now();
  const second = npmStart();
  await until(() => second.output().includes('Press Ctrl-C'), second.ended);
  expect((Date.now() - began) / 1000).toBeLessThan(60);
  expect(second.output()).toContain('the deployment of the last start is up to date');
  expect(second.output()).not.toContain('deploying\n');
  const running = readMemory(folder);
  expect(running).toMatchObject({ port: memory?.port, apiId: memory?.apiId, passwords: memory?.passwords });
  second.child.kill('SIGINT');
  expect(await second.ended).toBe(0);
  expect(isRunning(running?.emulatorPid ?? 0)).toBe(false);
  expect(await portIsFree(running?.port ?? 0)).toBe(true);

  const third = npmStart('--records', '12345', '--seed', '7');
  await until(() => third.output().includes('Press Ctrl-C'), third.ended);
  const other = statusProduced({ records: 12_345, seed: 7 });
  process.stdout.write(`seed 1, 5000 records: SHA-256 ${sha256}\nseed 7, 12345 records: SHA-256 ${other.sha256}\n`);
  expect(third.output()).toContain('service_status holds 12345 services');
  expect(third.output()).toContain(lastService({ records: 12_345, seed: 7 }).id);
  expect(third.output()).toContain(`SHA-256 downloaded  ${other.sha256}`);
  process.kill(readMemory(folder)?.emulatorPid ?? 0, 'SIGKILL');
  expect(await third.ended).toBe(1);
  expect(third.output()).toContain('the emulator ended (SIGKILL)');

  const fourth = npmStart('--once');
  expect(await fourth.ended).toBe(0);
  expect(fourth.output()).toContain('the last stop was not a clean one');
});

async function until(reached: () => boolean, ended: Promise<unknown>): Promise<void> {
  let over = false;
  ended.then(
    () => {
      over = true;
    },
    () => {},
  );
  while (!reached() && !over) await sleep(200);
  expect(reached()).toBe(true);
}
