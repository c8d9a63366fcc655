import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { credentials, type MiniStack, region, startMiniStack } from '../../local/ministack.ts';
import { freePort } from '../../local/port.ts';

/** The emulator on a port of its own, with state that is thrown away; the Python environment is the local platform's. */
export interface EmulatedServices {
  readonly url: string;
  s3(endpoint?: string, more?: S3ClientConfig): S3Client;
  stop(): Promise<void>;
}

export async function emulatedServices(): Promise<EmulatedServices> {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-integration-'));
  const clients: S3Client[] = [];
  const stack: MiniStack = await startMiniStack({
    port: await freePort(),
    venv: join(import.meta.dirname, '../../.local/venv'),
    state: join(folder, 'state'),
    objects: join(folder, 'objects'),
    log: join(folder, 'ministack.log'),
  });
  return {
    url: stack.url,
    s3: (endpoint = stack.url, more = {}) => {
      const client = new S3Client({ endpoint, region, credentials, maxAttempts: 3, ...more });
      clients.push(client);
      return client;
    },
    stop: async () => {
      for (const client of clients) client.destroy();
      await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
