import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Config } from './config.ts';
import type { Stateful } from './stateful.ts';

/** Key patterns of DESIGN 6; the stars stand for owner, session and id. */
export const bodies = 'results/*/*/*/body';
export const indexes = 'results/*/*/*/index';

const reading = ['dynamodb:GetItem', 'dynamodb:Query'];
const creating = ['dynamodb:PutItem'];
const updating = ['dynamodb:UpdateItem'];

/** What a function may do to a table: read; read and put; put, update and read; those and delete. */
export type TableAccess = 'read' | 'append' | 'write' | 'delete';

const tableActions: Readonly<Record<TableAccess, readonly string[]>> = {
  read: reading,
  append: [...reading, ...creating],
  write: [...reading, ...creating, ...updating],
  delete: [...reading, ...creating, ...updating, 'dynamodb:DeleteItem'],
};

/**
 * Access to a table, its index only where named. `leading` narrows it to partitions; the null test is needed because
 * a condition on all of no values is true.
 */
export function tableStatements(
  stateful: Stateful,
  table: 'runs' | 'catalog' | 'chats' | 'sessions',
  access: TableAccess,
  options: { readonly index?: string; readonly leading?: readonly string[] } = {},
): readonly PolicyStatement[] {
  const arn = stateful[table].tableArn;
  const statements = [
    new PolicyStatement({
      actions: [...tableActions[access]],
      resources: [arn],
      ...(options.leading !== undefined && {
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...options.leading] },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    }),
  ];
  if (options.index !== undefined) {
    statements.push(new PolicyStatement({ actions: ['dynamodb:Query'], resources: [`${arn}/index/${options.index}`] }));
  }
  return [...statements, ...keyStatements(stateful, 'dynamodb', access !== 'read')];
}

/** Create objects under these key patterns, and give up an upload. Reads nothing and lists nothing. */
export function createStatements(stateful: Stateful, patterns: readonly string[]): readonly PolicyStatement[] {
  return [
    new PolicyStatement({
      actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
      resources: patterns.map((pattern) => stateful.bucket.arnForObjects(pattern)),
    }),
    ...keyStatements(stateful, 's3', true),
  ];
}

/** Read objects under these prefixes; listing them is what makes S3 tell a missing object from a forbidden one. */
export function readStatements(stateful: Stateful, prefixes: readonly string[]): readonly PolicyStatement[] {
  return [
    new PolicyStatement({
      actions: ['s3:GetObject'],
      resources: prefixes.map((prefix) => stateful.bucket.arnForObjects(`${prefix}*`)),
    }),
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [stateful.bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
    }),
    ...keyStatements(stateful, 's3', false),
  ];
}

/** The operator's own key, only through the service that keeps the data. Nothing where there is none. */
function keyStatements(stateful: Stateful, service: 's3' | 'dynamodb', writes: boolean): readonly PolicyStatement[] {
  if (stateful.key === undefined) return [];
  return [
    new PolicyStatement({
      actions: ['kms:Decrypt', ...(writes ? ['kms:GenerateDataKey'] : [])],
      resources: [stateful.key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}` } },
    }),
  ];
}

/** Inference profiles route to models of several regions: `eu.`, `us.`, `global.` and so on before the model's id. */
const profile = /^(?:global|us-gov|us|eu|apac|jp|au|ca)\.(.+)$/;

/** The ARNs that one model id needs: the model, and for a profile both. */
export function modelArns(modelId: string): readonly string[] {
  if (modelId.startsWith('arn:')) return [modelId];
  const base = profile.exec(modelId)?.[1];
  const model = (id: string, region: string) => `arn:${Aws.PARTITION}:bedrock:${region}::foundation-model/${id}`;
  if (base === undefined) return [model(modelId, Aws.REGION)];
  return [
    `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:inference-profile/${modelId}`,
    model(base, '*'),
  ];
}

export function modelStatements(config: Config): readonly PolicyStatement[] {
  const ids = [...new Set(Object.values(config.models).map((model) => model.modelId))].sort();
  return [
    new PolicyStatement({
      actions: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
      resources: [...new Set(ids.flatMap(modelArns))],
    }),
  ];
}
