import { isRunning } from './command.ts';
import { type LocalFolder, localFolder } from './folder.ts';
import { type LocalMemory, readMemory } from './memory.ts';

/** The platform that `npm start` runs in the default folder. Throws when none runs. */
export function runningPlatform(): {
  readonly folder: LocalFolder;
  readonly memory: LocalMemory;
  readonly url: string;
} {
  const folder = localFolder();
  const memory = readMemory(folder);
  if (memory?.emulatorPid === undefined || !isRunning(memory.emulatorPid)) {
    throw new Error('the local platform is not running: start it with `npm start`');
  }
  return { folder, memory, url: `http://127.0.0.1:${memory.port}` };
}
