import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { ClaimcheckError } from '../core/errors.ts';
import { decodeIndex, encodeIndex } from '../core/store/index-codec.ts';
import { type ResultIndex, resultFormat } from '../core/store/result-index.ts';
import type { BodyMetadata, ResultAddress, ResultStore, StoredBody } from '../core/store/result-store.ts';
import { silentTelemetry, type Telemetry } from '../core/telemetry/telemetry.ts';
import { createOnly } from './s3-create-only.ts';
import { storageTrouble } from './s3-failure.ts';
import { bodyKey, indexKey } from './s3-keys.ts';
import { S3Objects } from './s3-objects.ts';

/** 5 GiB of body give less than 1 MiB. */
const maxIndexBytes = 64 * 1024 * 1024;

/** Bodies and commit records in S3. Throttling and 5xx are repeated by the client itself (three attempts). */
export class S3ResultStore implements ResultStore {
  readonly #objects: S3Objects;

  constructor(client: S3Client, bucket: string, telemetry: Telemetry = silentTelemetry) {
    this.#objects = new S3Objects(client, bucket, telemetry);
  }

  async putBody(
    address: ResultAddress,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredBody> {
    return this.#objects.put(bodyKey(address), 'storing a body', body, metadata, limits);
  }

  async headBody(address: ResultAddress): Promise<StoredBody | undefined> {
    return this.#objects.head(bodyKey(address), 'looking at a body');
  }

  async readBody(address: ResultAddress, etag: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const object = await this.#objects.read('reading a body', () =>
      this.#get({ Key: bodyKey(address), IfMatch: etag }),
    );
    return object === undefined ? undefined : steady(object.Body as AsyncIterable<Uint8Array>);
  }

  async readRange(address: ResultAddress, etag: string, start: number, end: number): Promise<Uint8Array | undefined> {
    if (end <= start) return new Uint8Array(0);
    return this.#objects.read('reading a range', async () => {
      const range = `bytes=${start}-${end - 1}`;
      const { Body: body } = await this.#get({ Key: bodyKey(address), IfMatch: etag, Range: range });
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
    const { client, bucket } = this.#objects;
    await this.#objects.write('writing a commit record', () =>
      createOnly(
        {
          client,
          bucket,
          key: indexKey(address),
          metadata: { 'cc-format': String(index.format) },
          contentType: 'application/octet-stream',
          maxBytes: maxIndexBytes,
        },
        encodeIndex(index),
      ),
    );
  }

  async readIndex(address: ResultAddress): Promise<ResultIndex | undefined> {
    const bytes = await this.#objects.read('reading a commit record', async () =>
      (await this.#get({ Key: indexKey(address) })).Body?.transformToByteArray(),
    );
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

  #get(object: { readonly Key: string; readonly IfMatch?: string; readonly Range?: string }) {
    const { client, bucket } = this.#objects;
    return client.send(new GetObjectCommand({ Bucket: bucket, ...object }));
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
