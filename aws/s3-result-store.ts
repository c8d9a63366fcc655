import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { ClaimcheckError } from '../core/errors.ts';
import { decodeMetadata, encodeMetadata } from '../core/store/body-metadata.ts';
import { decodeIndex, encodeIndex } from '../core/store/index-codec.ts';
import { BodySourceError } from '../core/store/part-reader.ts';
import { type ResultIndex, resultFormat } from '../core/store/result-index.ts';
import type { BodyMetadata, ResultAddress, ResultStore, StoredBody } from '../core/store/result-store.ts';
import { silentTelemetry, type Telemetry } from '../core/telemetry/telemetry.ts';
import { createOnly, headObject } from './s3-create-only.ts';
import { readFailure, storageTrouble } from './s3-failure.ts';
import { bodyKey, indexKey } from './s3-keys.ts';
import type { UploadTarget } from './s3-upload.ts';

/** 5 GiB of body give less than 1 MiB. */
const maxIndexBytes = 64 * 1024 * 1024;

/** Bodies and commit records in S3. Throttling and 5xx are repeated by the client itself (three attempts). */
export class S3ResultStore implements ResultStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #telemetry: Telemetry;

  constructor(client: S3Client, bucket: string, telemetry: Telemetry = silentTelemetry) {
    this.#client = client;
    this.#bucket = bucket;
    this.#telemetry = telemetry;
  }

  async putBody(
    address: ResultAddress,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredBody> {
    const target: UploadTarget = {
      client: this.#client,
      bucket: this.#bucket,
      key: bodyKey(address),
      metadata: encodeMetadata(metadata),
      contentType: metadata.contentType,
      maxBytes: limits.maxBytes,
      ...(limits.signal === undefined ? {} : { signal: limits.signal }),
    };
    try {
      const { etag, bytes } = await createOnly(target, body);
      return { bytes, etag, metadata };
    } catch (error) {
      if (error instanceof BodySourceError) throw error.cause;
      this.#telemetry.count('StorageRefusal');
      throw storageTrouble('storing a body', error);
    }
  }

  async headBody(address: ResultAddress): Promise<StoredBody | undefined> {
    const head = await this.#read('looking at a body', () => headObject(this.#client, this.#bucket, bodyKey(address)));
    if (head === undefined) return undefined;
    const metadata = decodeMetadata(head.Metadata, head.ContentType);
    return metadata === undefined ? undefined : { bytes: head.ContentLength ?? 0, etag: head.ETag ?? '', metadata };
  }

  async readBody(address: ResultAddress, etag: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const object = await this.#read('reading a body', () =>
      this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: bodyKey(address), IfMatch: etag })),
    );
    return object === undefined ? undefined : steady(object.Body as AsyncIterable<Uint8Array>);
  }

  async readRange(address: ResultAddress, etag: string, start: number, end: number): Promise<Uint8Array | undefined> {
    if (end <= start) return new Uint8Array(0);
    return this.#read('reading a range', async () => {
      const { Body: body } = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: bodyKey(address),
          IfMatch: etag,
          Range: `bytes=${start}-${end - 1}`,
        }),
      );
      const bytes = await body?.transformToByteArray();
      if (bytes?.length !== end - start) {
        throw new ClaimcheckError('StorageUnavailable', 'storage: a range came short', {
          expectedBytes: end - start,
          foundBytes: bytes?.length ?? 0,
        });
      }
      return bytes;
    });
  }

  async putIndex(address: ResultAddress, index: ResultIndex): Promise<void> {
    const target: UploadTarget = {
      client: this.#client,
      bucket: this.#bucket,
      key: indexKey(address),
      metadata: { 'cc-format': String(index.format) },
      contentType: 'application/octet-stream',
      maxBytes: maxIndexBytes,
    };
    try {
      await createOnly(target, encodeIndex(index));
    } catch (error) {
      this.#telemetry.count('StorageRefusal');
      throw storageTrouble('writing a commit record', error);
    }
  }

  async readIndex(address: ResultAddress): Promise<ResultIndex | undefined> {
    const bytes = await this.#read('reading a commit record', async () => {
      const object = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: indexKey(address) }));
      return object.Body?.transformToByteArray();
    });
    if (bytes === undefined) return undefined;
    const index = decodeIndex(bytes);
    // Every format that was ever written can be read; one from the future cannot.
    if (index === undefined) {
      throw new ClaimcheckError('StorageUnavailable', 'storage: a commit record cannot be read', {
        knownFormat: resultFormat,
      });
    }
    return index;
  }

  /** Missing and hidden alike are undefined; hidden ones are counted, since many of them are a wrong policy. */
  async #read<T>(action: string, read: () => Promise<T>): Promise<T | undefined> {
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
}

/** A body whose connection breaks is trouble of the store, like any other. */
export async function* steady(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw storageTrouble('reading a body', error);
  }
}
