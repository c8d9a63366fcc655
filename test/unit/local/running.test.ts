import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localFolder } from '../../../local/folder.ts';
import { type LocalMemory, writeMemory } from '../../../local/memory.ts';
import { runningPlatform } from '../../../local/running.ts';

const memory: LocalMemory = { port: 41_565, apiId: 'b5c294c0', passwords: { olivia: 'x' } };
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'claimcheck-running-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('the platform of a folder, while its emulator runs', () => {
  const folder = localFolder(root);
  const running = writeMemory(folder, { ...memory, emulatorPid: process.pid });
  expect(runningPlatform(folder)).toEqual({ folder, memory: running, url: 'http://127.0.0.1:41565' });
});

test.each<[string, LocalMemory | undefined]>([
  ['never started', undefined],
  ['stopped cleanly', memory],
  ['whose emulator died', { ...memory, emulatorPid: deadProcess() }],
])('a platform that was %s is not running, and how to start it is said', (_name, left) => {
  const folder = localFolder(root);
  if (left !== undefined) writeMemory(folder, left);
  expect(() => runningPlatform(folder)).toThrow('the local platform is not running: start it with `npm start`');
});

/** The id of a process that has ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}
