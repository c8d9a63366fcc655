import { join } from 'node:path';
import type { ResultAddress } from '../core/store/result-store.ts';

/** The folder of one result: the keys of the bucket, as folders (docs/contracts.md). */
export function resultFolder(root: string, { owner, session, id }: ResultAddress): string {
  return join(root, 'results', safe(owner), safe(session), safe(id));
}

export function catalogueFolder(root: string, owner: string, session?: string): string {
  const folder = join(root, 'catalog', safe(owner));
  return session === undefined ? folder : join(folder, safe(session));
}

/** Parts are made by code (owner keys, ids); one that could leave its folder was made elsewhere. */
export function safe(part: string): string {
  if (part === '' || part === '.' || part === '..' || !/^[\w%.~-]+$/.test(part)) {
    throw new Error('file store: a part of a path holds what no key part holds');
  }
  return part;
}
