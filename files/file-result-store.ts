import { randomBytes } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClaimcheckError } from '../core/errors.ts';
import type { BodyDigests } from '../core/scan/body-digests.ts';
import { decodeIndex, encodeIndex } from '../core/store/index-codec.ts';
import type { ResultIndex } from '../core/store/result-index.ts';
import type { BodyLimits, BodyMetadata, ResultAddress, ResultStore, StoredBody } from '../core/store/result-store.ts';
import { createOnly, draftOf, isMissing, linkOnly, makeFolder, removeDraft, writeDraft } from './create-only.ts';
import { digestThreads } from './digests/digest-threads.ts';
import { resultFolder } from './file-name.ts';
import { writePieces } from './write-pieces.ts';

/** What is known of a body beside it. */
interface BodyFile {
  readonly bytes: number;
  readonly etag: string;
  readonly metadata: BodyMetadata;
}

const readBytes = 64 * 1024;

/**
 * Results in a folder: `results/<owner>/<session>/<id>/{body,body.json,index}`, readable by its user alone. Bodies are
 * created whole or not at all and never changed. A written body survives the process; with `durable` also a power cut.
 */
export class FileResultStore implements ResultStore {
  readonly #root: string;
  readonly #durable: boolean;

  constructor(root: string, options: { readonly durable?: boolean } = {}) {
    this.#root = root;
    this.#durable = options.durable ?? false;
  }

  async putBody(
    address: ResultAddress,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: BodyLimits,
  ): Promise<StoredBody> {
    const folder = resultFolder(this.#root, address);
    const path = join(folder, 'body');
    const draft = draftOf(path);
    const described = draftOf(`${path}.json`);
    const etag = `"${randomBytes(16).toString('hex')}"`;
    try {
      await work(() => makeFolder(folder));
      const bytes = await writePieces(draft, body, { ...limits, durable: this.#durable }, (bytes) =>
        work(() => writeDraft(described, JSON.stringify({ bytes, etag, metadata } satisfies BodyFile))),
      );
      const made = { bytes, etag, metadata };
      return await work(async () => {
        // What describes the body stands before the body does: a body without it would be nobody's.
        const first = await linkOnly(described, `${path}.json`);
        if (first && (await linkOnly(draft, path))) return made;
        return this.#standing(address, made, draft, path);
      });
    } finally {
      await Promise.all([removeDraft(draft), removeDraft(described)]);
    }
  }

  headBody(address: ResultAddress): Promise<StoredBody | undefined> {
    return work(async () => {
      const folder = resultFolder(this.#root, address);
      const text = await readText(join(folder, 'body.json'));
      const size = await sizeOf(join(folder, 'body'));
      if (text === undefined || size === undefined) return undefined;
      const file = JSON.parse(text) as BodyFile;
      return file.bytes === size ? file : undefined;
    });
  }

  async readBody(address: ResultAddress, etag: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const head = await this.headBody(address);
    if (head === undefined || head.etag !== etag) return undefined;
    return this.#pieces(address, head.bytes);
  }

  async readRange(address: ResultAddress, etag: string, start: number, end: number): Promise<Uint8Array | undefined> {
    const head = await this.headBody(address);
    if (head === undefined || head.etag !== etag) return undefined;
    return work(async () => {
      const file = await open(join(resultFolder(this.#root, address), 'body'), 'r');
      try {
        const wanted = Math.max(0, Math.min(end, head.bytes) - start);
        const buffer = Buffer.allocUnsafe(wanted);
        const { bytesRead } = await file.read(buffer, 0, wanted, start);
        if (bytesRead !== wanted) throw new Error('the body is shorter than it was');
        return buffer;
      } finally {
        await file.close();
      }
    });
  }

  async putIndex(address: ResultAddress, index: ResultIndex): Promise<void> {
    const path = join(resultFolder(this.#root, address), 'index');
    const bytes = encodeIndex(index);
    if (await work(() => createOnly(path, bytes))) return;
    const standing = await work(() => readBytesOf(path));
    if (standing === undefined || !standing.equals(bytes)) throw unavailable('another commit record stands there');
  }

  readIndex(address: ResultAddress): Promise<ResultIndex | undefined> {
    return work(async () => {
      const bytes = await readBytesOf(join(resultFolder(this.#root, address), 'index'));
      if (bytes === undefined) return undefined;
      const index = decodeIndex(bytes);
      // Half a record is trouble, not absence.
      if (index === undefined) throw unavailable('the commit record cannot be read');
      return index;
    });
  }

  digests(bytes: number): BodyDigests | undefined {
    return digestThreads.digests(bytes);
  }

  /** The same call again after a lost answer is a success; anything else under the same id is refused. */
  async #standing(address: ResultAddress, made: BodyFile, draft: string, path: string): Promise<StoredBody> {
    const text = await readText(`${path}.json`);
    const file = text === undefined ? undefined : (JSON.parse(text) as BodyFile);
    if (file === undefined || file.bytes !== made.bytes || !sameCall(file.metadata, made.metadata)) {
      throw unavailable('another body stands under this id');
    }
    const stands = async () => (await this.headBody(address)) !== undefined;
    if (!(await stands()) && !(await linkOnly(draft, path)) && !(await stands())) {
      throw unavailable('something else stands where the body belongs');
    }
    return file;
  }

  async *#pieces(address: ResultAddress, bytes: number): AsyncGenerator<Uint8Array> {
    const file = await work(() => open(join(resultFolder(this.#root, address), 'body'), 'r'));
    try {
      for (let at = 0; at < bytes; ) {
        const buffer = Buffer.allocUnsafe(Math.min(readBytes, bytes - at));
        const { bytesRead } = await work(() => file.read(buffer, 0, buffer.length, at));
        if (bytesRead === 0) throw unavailable('the body is shorter than it was');
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }
}

function sameCall(one: BodyMetadata, other: BodyMetadata): boolean {
  return (
    one.runId === other.runId &&
    one.turn === other.turn &&
    one.index === other.index &&
    one.tools.join() === other.tools.join()
  );
}

/** Trouble in the file system is trouble in the store, never "not found". */
async function work<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ClaimcheckError) throw error;
    throw unavailable((error as NodeJS.ErrnoException).code ?? 'unreadable', error);
  }
}

async function readText(path: string): Promise<string | undefined> {
  return (await readBytesOf(path))?.toString('utf8');
}

async function readBytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function unavailable(what: string, cause?: unknown): ClaimcheckError {
  return new ClaimcheckError('StorageUnavailable', `storage: ${what}`, {}, cause === undefined ? {} : { cause });
}
