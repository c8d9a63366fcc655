import type { S3Client } from '@aws-sdk/client-s3';
import type { ExportAddress, ExportStore } from '../core/export/export-store.ts';
import { decodeMetadata, encodeMetadata } from '../core/store/body-metadata.ts';
import { BodySourceError } from '../core/store/part-reader.ts';
import type { BodyMetadata, StoredBody } from '../core/store/result-store.ts';
import { silentTelemetry, type Telemetry } from '../core/telemetry/telemetry.ts';
import { createOnly, headObject } from './s3-create-only.ts';
import { readFailure, storageTrouble } from './s3-failure.ts';
import { exportKey } from './s3-keys.ts';

/** CSV files in S3, written as bodies are: create-only, checksummed, in parts of bounded memory. */
export class S3ExportStore implements ExportStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #telemetry: Telemetry;

  constructor(client: S3Client, bucket: string, telemetry: Telemetry = silentTelemetry) {
    this.#client = client;
    this.#bucket = bucket;
    this.#telemetry = telemetry;
  }

  async putCsv(
    address: ExportAddress,
    pieces: AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredBody> {
    try {
      const { etag, bytes } = await createOnly(
        {
          client: this.#client,
          bucket: this.#bucket,
          key: exportKey(address),
          metadata: encodeMetadata(metadata),
          contentType: metadata.contentType,
          ...limits,
        },
        pieces,
      );
      return { bytes, etag, metadata };
    } catch (error) {
      if (error instanceof BodySourceError) throw error.cause;
      this.#telemetry.count('StorageRefusal');
      throw storageTrouble('storing an export', error);
    }
  }

  async headCsv(address: ExportAddress): Promise<StoredBody | undefined> {
    try {
      const head = await headObject(this.#client, this.#bucket, exportKey(address));
      const metadata = decodeMetadata(head.Metadata, head.ContentType);
      return metadata === undefined ? undefined : { bytes: head.ContentLength ?? 0, etag: head.ETag ?? '', metadata };
    } catch (error) {
      const failure = readFailure(error);
      if (failure === 'trouble') throw storageTrouble('looking at an export', error);
      if (failure === 'hidden') this.#telemetry.count('HiddenObject');
      return undefined;
    }
  }
}
