import type { FileHandle } from 'node:fs/promises';

/** Writes all of the bytes at the file's position, however few the system takes at a time. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}
