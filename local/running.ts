import { isRunning } from './command.ts';
import { type LocalFolder, localFolder } from './folder.ts';
import { type LocalMemory, readMemory } from './memory.ts';

/** The platform that `npm start` runs, by default in the checkout's own folder. Throws when none runs. */
export function runningPlatform(folder: LocalFolder = localFolder()): {
  readonly folder: LocalFolder;
  readonly memory: LocalMemory;
  readonly url: string;
} {
  const memory = readMemory(folder);
  if (memory?.emulatorPid === undefined || !isRunning(memory.emulatorPid)) {
    throw new Error('the local platform is not running: start it with `npm start`');
  }
  return { folder, memory, url: `http://127.0.0.1:${memory.port}` };
}
