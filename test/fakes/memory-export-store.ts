import { ClaimcheckError } from '../../core/errors.ts';
import type { ExportAddress, ExportStore } from '../../core/export/export-store.ts';
import type { BodyMetadata, StoredBody } from '../../core/store/result-store.ts';

/** The export store port in memory. */
export class MemoryExportStore implements ExportStore {
  readonly files = new Map<string, StoredBody & { readonly content: Buffer }>();
  readonly failing = new Set<keyof ExportStore>();
  /** Uploads that were begun and given up. */
  aborted = 0;

  async putCsv(
    { owner, id }: ExportAddress,
    pieces: AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<StoredBody> {
    const parts: Buffer[] = [];
    try {
      for await (const piece of pieces) {
        parts.push(Buffer.from(piece));
        if (this.failing.has('putCsv')) throw new ClaimcheckError('StorageUnavailable', 'storage: refused');
        if (Buffer.concat(parts).length > maxBytes) throw new ClaimcheckError('OversizeResult', 'too many bytes');
      }
    } catch (error) {
      this.aborted += 1;
      throw error;
    }
    const content = Buffer.concat(parts);
    const stored = { bytes: content.length, etag: '"csv"', metadata };
    this.files.set(`${owner}/${id}`, { ...stored, content });
    return stored;
  }

  async headCsv({ owner, id }: ExportAddress): Promise<StoredBody | undefined> {
    if (this.failing.has('headCsv')) throw new ClaimcheckError('StorageUnavailable', 'storage: refused');
    return this.files.get(`${owner}/${id}`);
  }
}
