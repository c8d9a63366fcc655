import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { LocalFolder } from './folder.ts';

/**
 * What one start leaves for the next. Functions and the user pool's call-back addresses hold the emulator's port,
 * and links hold the API's id, so both are chosen once and kept.
 */
export interface LocalMemory {
  readonly port: number;
  /** The id that the HTTP API is given by its tag, 8 hex digits: its address is needed before it exists. */
  readonly apiId: string;
  readonly passwords: Readonly<Record<string, string>>;
  /** Process id of the emulator while it runs; a clean stop removes it. */
  readonly emulatorPid?: number;
  /** Digest over all that was deployed, written after a deploy that succeeded. */
  readonly deployed?: string;
}

export function readMemory(folder: LocalFolder): LocalMemory | undefined {
  if (!existsSync(folder.memory)) return undefined;
  return JSON.parse(readFileSync(folder.memory, 'utf8')) as LocalMemory;
}

/** Written beside and moved into place: a start that is interrupted never leaves half a file. */
export function writeMemory(folder: LocalFolder, memory: LocalMemory): LocalMemory {
  const draft = `${folder.memory}.new`;
  writeFileSync(draft, `${JSON.stringify(memory, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, folder.memory);
  return memory;
}

export function newApiId(): string {
  return randomBytes(4).toString('hex');
}

/** Meets the user pool's policy: lower case, upper case, digit, symbol; 128 random bits between them. */
export function newPassword(): string {
  return `Cc1!${randomBytes(16).toString('base64url')}`;
}
