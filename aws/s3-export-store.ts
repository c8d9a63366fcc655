import type { S3Client } from '@aws-sdk/client-s3';
import type { ExportAddress, ExportStore } from '../core/export/export-store.ts';
import type { BodyMetadata, StoredBody } from '../core/store/result-store.ts';
import { silentTelemetry, type Telemetry } from '../core/telemetry/telemetry.ts';
import { exportKey } from './s3-keys.ts';
import { S3Objects } from './s3-objects.ts';

/** CSV files in S3, written as bodies are: create-only, checksummed, in parts of bounded memory. */
export class S3ExportStore implements ExportStore {
  readonly #objects: S3Objects;

  constructor(client: S3Client, bucket: string, telemetry: Telemetry = silentTelemetry) {
    this.#objects = new S3Objects(client, bucket, telemetry);
  }

  async putCsv(
    address: ExportAddress,
    pieces: AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredBody> {
    return this.#objects.put(exportKey(address), 'storing an export', pieces, metadata, limits);
  }

  async headCsv(address: ExportAddress): Promise<StoredBody | undefined> {
    return this.#objects.head(exportKey(address), 'looking at an export');
  }
}
