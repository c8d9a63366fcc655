import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { FaultProxy } from '../../local/fault-proxy.ts';
import { TableServer } from '../fakes/table-server.ts';
import { bucket, type FlowWorld, flowWorld, makePlaces } from './faults-world.ts';
import { emulatedServices } from './ministack.ts';

/** What earlier versions have stored, a folder each. Never made anew: a change of a format gets a folder beside them. */
export const formatFixtures = join(import.meta.dirname, '../fixtures/formats');

interface StoredObject {
  readonly key: string;
  readonly contentType: string;
  readonly metadata: Record<string, string>;
  /** A body. */
  readonly text?: string;
  /** A commit record, which holds bytes. */
  readonly base64?: string;
}

export interface PlantedFormats {
  readonly world: FlowWorld;
  stop(): Promise<void>;
}

/** A bucket and tables that hold what `folder` keeps, as it was written then, behind the ports of today. */
export async function plantedFormats(folder: string): Promise<PlantedFormats> {
  const kept = <T>(name: string): T => JSON.parse(readFileSync(join(formatFixtures, folder, name), 'utf8')) as T;
  const tableServer = new TableServer();
  const services = await emulatedServices();
  const front = new FaultProxy(services.url, await tableServer.listen());
  const url = await front.start();
  await makePlaces(url);
  const world = flowWorld(url);
  for (const [TableName, items] of Object.entries(kept<Record<string, Record<string, unknown>[]>>('tables.json'))) {
    for (const Item of items) await world.documents.send(new PutCommand({ TableName, Item }));
  }
  for (const { key, contentType, metadata, text, base64 } of kept<readonly StoredObject[]>('objects.json')) {
    const Body = text ?? Buffer.from(base64 ?? '', 'base64');
    await world.s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentType: contentType, Metadata: metadata }),
    );
  }
  const stop = async (): Promise<void> => {
    world.stop();
    front.stop();
    tableServer.stop();
    await services.stop();
  };
  return { world, stop };
}
