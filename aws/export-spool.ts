import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClaimcheckError } from '../core/errors.ts';
import type { Spool } from '../core/export/spool.ts';

/** Bytes kept in memory before a file is made: most lists are smaller. */
const memoryBytes = 1024 * 1024;
const readBytes = 64 * 1024;

/**
 * A spool of bounded memory: what does not fit goes into a file of the scratch disk, which loses its name as soon as it
 * is open, so that nothing is left behind even by a process that is killed. Throws `StorageUnavailable` when the disk
 * is full.
 */
export class FileSpool implements Spool {
  readonly #folder: string;
  #memory: Uint8Array[] = [];
  #held = 0;
  #written = 0;
  #file: FileHandle | null = null;

  constructor(folder: string = tmpdir()) {
    this.#folder = folder;
  }

  append(piece: Uint8Array): Promise<void> | undefined {
    if (this.#file === null && this.#held + piece.length <= memoryBytes) {
      this.#memory.push(Uint8Array.from(piece));
      this.#held += piece.length;
      return undefined;
    }
    return this.#write(piece);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    if (this.#file === null) {
      yield* this.#memory;
      return;
    }
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    for (let at = 0; at < this.#written; ) {
      const { bytesRead } = await this.#file.read(buffer, 0, readBytes, at);
      if (bytesRead === 0) throw new ClaimcheckError('StorageUnavailable', 'export: the scratch file came short');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async dispose(): Promise<void> {
    this.#memory = [];
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #write(piece: Uint8Array): Promise<void> {
    try {
      if (this.#file === null) {
        const path = join(this.#folder, `claimcheck-${randomBytes(16).toString('hex')}.spool`);
        const file = await open(path, 'wx+', 0o600);
        this.#file = file;
        await unlink(path);
        for (const held of this.#memory) await this.#append(file, held);
        this.#memory = [];
      }
      await this.#append(this.#file, piece);
    } catch (cause) {
      throw new ClaimcheckError('StorageUnavailable', 'export: the scratch disk took no more', {}, { cause });
    }
  }

  async #append(file: FileHandle, piece: Uint8Array): Promise<void> {
    for (let from = 0; from < piece.length; ) {
      const { bytesWritten } = await file.write(piece, from, piece.length - from, this.#written);
      from += bytesWritten;
      this.#written += bytesWritten;
    }
  }
}
