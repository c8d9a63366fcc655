import { createHash } from 'node:crypto';
import type { EngineUpload, UploadedOutput } from '../../core/analysis/engine.ts';
import type { Staging, StagingPlace } from '../../core/analysis/staging.ts';

/** The staging port in memory; `leave` is what an engine does with the right that it was given. */
export class MemoryStaging implements Staging {
  readonly objects = new Map<string, Buffer>();
  readonly signed: string[] = [];

  async upload(place: StagingPlace, contentType: string, maxBytes: number): Promise<EngineUpload> {
    this.signed.push(keyOf(place));
    return { url: `https://bucket.example/${keyOf(place)}`, headers: { 'content-type': contentType }, maxBytes };
  }
  async look(place: StagingPlace) {
    const body = this.objects.get(keyOf(place));
    return body && { bytes: body.length, etag: digest(body) };
  }
  async read(place: StagingPlace, etag: string) {
    const body = this.objects.get(keyOf(place));
    return body === undefined || digest(body) !== etag ? undefined : pieces(body);
  }

  leave(upload: EngineUpload | null | undefined, text: string): UploadedOutput {
    if (upload === null || upload === undefined) throw new Error('there is no right to leave anything');
    const body = Buffer.from(text, 'utf8');
    this.objects.set(new URL(upload.url).pathname.slice(1), body);
    return { bytes: body.length, sha256: digest(body) };
  }
}

const keyOf = ({ owner, id }: StagingPlace): string => `staging/${owner}/${id}`;
const digest = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

async function* pieces(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += 65_536) yield body.subarray(start, start + 65_536);
}
