import type { S3Client } from '@aws-sdk/client-s3';
import { ClaimcheckError } from '../core/errors.ts';
import { decodeMetadata, encodeMetadata } from '../core/store/body-metadata.ts';
import { BodySourceError } from '../core/store/part-reader.ts';
import type { BodyMetadata, StoredBody } from '../core/store/result-store.ts';
import type { Telemetry } from '../core/telemetry/telemetry.ts';
import { createOnly, headObject } from './s3-create-only.ts';
import { readFailure, storageTrouble } from './s3-failure.ts';

/** Objects of one bucket: what bodies and CSV files have in common. `action` names what was done, for a failure. */
export class S3Objects {
  readonly client: S3Client;
  readonly bucket: string;
  readonly #telemetry: Telemetry;

  constructor(client: S3Client, bucket: string, telemetry: Telemetry) {
    this.client = client;
    this.bucket = bucket;
    this.#telemetry = telemetry;
  }

  /** Create-only and checksummed, in parts of bounded memory. A source that fails throws its own error. */
  async put(
    key: string,
    action: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredBody> {
    const { maxBytes, signal } = limits;
    const { etag, bytes } = await this.write(action, () =>
      createOnly(
        {
          client: this.client,
          bucket: this.bucket,
          key,
          metadata: encodeMetadata(metadata),
          contentType: metadata.contentType,
          maxBytes,
          ...(signal === undefined ? {} : { signal }),
        },
        content,
      ),
    );
    return { bytes, etag, metadata };
  }

  /** Undefined when there is none, none that may be seen, or none of ours. */
  async head(key: string, action: string): Promise<StoredBody | undefined> {
    const head = await this.read(action, () => headObject(this.client, this.bucket, key));
    if (head === undefined) return undefined;
    const metadata = decodeMetadata(head.Metadata, head.ContentType);
    return metadata === undefined ? undefined : { bytes: head.ContentLength ?? 0, etag: head.ETag ?? '', metadata };
  }

  /** Missing and hidden alike are undefined; hidden ones are counted, since many of them are a wrong policy. */
  async read<T>(action: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof ClaimcheckError) throw error;
      const failure = readFailure(error);
      if (failure === 'hidden') this.#telemetry.count('HiddenObject');
      if (failure === 'trouble') throw storageTrouble(action, error);
      return undefined;
    }
  }

  /** A refusal is counted and told as trouble of the store. */
  async write<T>(action: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof BodySourceError) throw error.cause;
      this.#telemetry.count('StorageRefusal');
      throw storageTrouble(action, error);
    }
  }
}
