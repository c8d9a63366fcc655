import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import type { ErasePorts, OwnedThings } from '../core/erase/erase-owner.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import type { SessionStore } from '../core/session/session.ts';

export interface OwnerDataPlaces {
  readonly s3: S3Client;
  readonly documents: DynamoDBDocumentClient;
  readonly executions: SFNClient;
  readonly sessions: SessionStore;
  readonly bucket: string;
  readonly tables: {
    readonly runs: string;
    readonly catalog: string;
    readonly chats: string;
    readonly sessions: string;
  };
}

type Key = { readonly pk: string; readonly sk: string };

/** Everything that is kept for an owner, for erasure. Needs an administrator's rights: no function has them. */
export function ownerData(places: OwnerDataPlaces): Pick<ErasePorts, 'tombstones' | 'stopRuns' | 'things'> {
  const { documents, tables } = places;
  const partition = (table: string, name: string, pk: (owner: OwnerKey) => string): OwnedThings => ({
    name,
    remove: (owner, dry) => removeItems(documents, table, keysOf(documents, table, pk(owner)), dry),
  });
  return {
    tombstones: {
      put: async (owner, at) => {
        const key = { pk: `erased#${owner}`, sk: 'tombstone' };
        try {
          const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
          await documents.send(new PutCommand({ TableName: tables.sessions, Item: { ...key, at }, ...condition }));
          return at;
        } catch (error) {
          if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
          const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': key.pk } };
          const { Items: items } = await documents.send(
            new QueryCommand({ TableName: tables.sessions, ConsistentRead: true, ...query }),
          );
          return String(items?.[0]?.['at'] ?? at);
        }
      },
    },
    stopRuns: async (owner) => {
      let stopped = 0;
      for await (const run of runsOf(places, owner)) {
        if (run.status === 'admitted' && (await stop(places.executions, run))) stopped += 1;
      }
      return stopped;
    },
    things: [
      {
        name: 'sign-ins',
        remove: async (owner, dry) => {
          const digests = await places.sessions.ofOwner(owner);
          if (!dry) for (const digest of digests) await places.sessions.remove(digest);
          return digests.length;
        },
      },
      { name: 'objects', remove: (owner, dry) => removeObjects(places, owner, dry) },
      { name: 'unfinished uploads', remove: (owner, dry) => abortUploads(places, owner, dry) },
      partition(tables.catalog, 'catalogue rows', (owner) => owner),
      {
        // The bodies of each chat before its header, which is what leads to them.
        name: 'chat items',
        remove: async (owner, dry) => {
          let removed = 0;
          for await (const header of keysOf(documents, tables.chats, owner)) {
            const bodies = keysOf(documents, tables.chats, `${owner}#${header.sk.replace(/^chat#/, '')}`);
            removed += await removeItems(documents, tables.chats, bodies, dry);
            removed += await removeItems(documents, tables.chats, [header], dry);
          }
          // A header is written last: a turn whose writer died before it is found by its run's session.
          const headed = new Set<string>();
          for await (const { session } of runsOf(places, owner)) {
            if (session === undefined || headed.has(session)) continue;
            headed.add(session);
            const bodies = keysOf(documents, tables.chats, `${owner}#${session}`);
            // A dry run has counted those that have a header already.
            if (!dry) removed += await removeItems(documents, tables.chats, bodies, dry);
          }
          return removed;
        },
      },
      {
        // A run's header is removed last, since only it says whose run it is.
        name: 'run items',
        remove: async (owner, dry) => {
          let removed = 0;
          for await (const run of runsOf(places, owner)) {
            const header = { pk: `run#${run.runId}`, sk: 'run' };
            const rest: Key[] = [];
            for await (const key of keysOf(documents, tables.runs, header.pk)) if (key.sk !== 'run') rest.push(key);
            removed += await removeItems(documents, tables.runs, [...rest, header], dry);
          }
          return removed;
        },
      },
      partition(tables.runs, 'open runs', (owner) => `active#${owner}`),
    ],
  };
}

interface FoundRun {
  readonly runId: string;
  readonly session?: string;
  readonly status: string;
  readonly stateMachineArn: string;
}

/** By a scan: runs are kept by id alone, and an erasure is rare and must not miss one. */
async function* runsOf({ documents, tables }: OwnerDataPlaces, owner: OwnerKey): AsyncGenerator<FoundRun> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({
        TableName: tables.runs,
        FilterExpression: 'sk = :run AND #owner = :owner',
        ExpressionAttributeNames: { '#owner': 'owner', '#status': 'status', '#session': 'session' },
        ExpressionAttributeValues: { ':run': 'run', ':owner': owner },
        ProjectionExpression: 'runId, #session, #status, stateMachineArn',
        ConsistentRead: true,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      }),
    );
    yield* (page.Items ?? []) as FoundRun[];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

async function stop(client: SFNClient, run: FoundRun): Promise<boolean> {
  const executionArn = `${run.stateMachineArn.replace(':stateMachine:', ':execution:')}:${run.runId}`;
  try {
    await client.send(new StopExecutionCommand({ executionArn, error: 'Erased', cause: 'The owner was erased.' }));
    return true;
  } catch (error) {
    // Ended already, or never started: nothing of it writes any more.
    if (error instanceof Error && /ExecutionDoesNotExist|ValidationException/.test(error.name)) return false;
    throw error;
  }
}

async function* keysOf(documents: DynamoDBDocumentClient, table: string, pk: string): AsyncGenerator<Key> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ProjectionExpression: 'pk, sk',
        ConsistentRead: true,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      }),
    );
    yield* (page.Items ?? []) as Key[];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

async function removeItems(
  documents: DynamoDBDocumentClient,
  table: string,
  keys: AsyncIterable<Key> | Iterable<Key>,
  dry: boolean,
): Promise<number> {
  let removed = 0;
  for await (const { pk, sk } of keys) {
    if (!dry) await documents.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
    removed += 1;
  }
  return removed;
}

/** The slash at the end of a prefix keeps people apart whose keys begin alike. */
function prefixes(owner: OwnerKey): readonly string[] {
  return [`results/${owner}/`, `exports/${owner}/`, `staging/${owner}/`];
}

async function removeObjects({ s3, bucket }: OwnerDataPlaces, owner: OwnerKey, dry: boolean): Promise<number> {
  let removed = 0;
  for (const Prefix of prefixes(owner)) {
    let after: string | undefined;
    for (;;) {
      const page = await s3.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix, ...(after === undefined ? {} : { StartAfter: after }) }),
      );
      const keys = (page.Contents ?? []).flatMap(({ Key }) => (Key?.startsWith(Prefix) ? [{ Key }] : []));
      if (keys.length === 0) break;
      if (!dry) {
        const { Errors: errors = [] } = await s3.send(
          new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys, Quiet: true } }),
        );
        if (errors.length > 0)
          throw new Error(`erasure: ${errors.length} objects were not removed (${errors[0]?.Code})`);
      }
      removed += keys.length;
      after = keys.at(-1)?.Key;
    }
  }
  return removed;
}

async function abortUploads({ s3, bucket }: OwnerDataPlaces, owner: OwnerKey, dry: boolean): Promise<number> {
  let aborted = 0;
  for (const Prefix of prefixes(owner)) {
    const { Uploads: uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix }));
    for (const { Key, UploadId } of uploads) {
      if (Key === undefined || UploadId === undefined || !Key.startsWith(Prefix)) continue;
      if (!dry) await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      aborted += 1;
    }
  }
  return aborted;
}
