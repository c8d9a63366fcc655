import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where one local platform keeps everything that outlives a start; deleting it starts afresh. */
export interface LocalFolder {
  readonly root: string;
  /** Python environments are shared by all platforms of one checkout: they hold no state. */
  readonly venv: string;
  /** The emulator's tables, functions, users and flows; its objects. */
  readonly state: string;
  readonly objects: string;
  readonly logs: string;
  /** One JSON line per model request, for tests and the curious. */
  readonly modelRequests: string;
  /** What the next start must find again: ports, ids, passwords, what was deployed. */
  readonly memory: string;
}

const checkout = resolve(import.meta.dirname, '..');

/** The folder of the checkout's own platform, `.local/`, or another one beside it. Makes what is missing. */
export function localFolder(root: string = join(checkout, '.local')): LocalFolder {
  const folder: LocalFolder = {
    root,
    venv: join(checkout, '.local', 'venv'),
    state: join(root, 'state'),
    objects: join(root, 'objects'),
    logs: join(root, 'logs'),
    modelRequests: join(root, 'logs', 'model-requests.jsonl'),
    memory: join(root, 'memory.json'),
  };
  for (const path of [folder.state, folder.objects, folder.logs]) mkdirSync(path, { recursive: true });
  return folder;
}
