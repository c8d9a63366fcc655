import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Config } from './config.ts';
import type { Stateful } from './stateful.ts';

/** Key patterns of DESIGN 6; the stars stand for owner, session and id. */
export const bodies = 'results/*/*/*/body';
export const indexes = 'results/*/*/*/index';
export const exportFiles = 'exports/*';
/** What the analysis engine leaves for the broker; the stars stand for owner and id. */
export const stagedFiles = 'staging/*/*';

/** What can be done to a table's items; nothing here scans. */
export type TableVerb = 'get' | 'query' | 'put' | 'update' | 'delete';

const verbActions: Readonly<Record<TableVerb, string>> = {
  get: 'dynamodb:GetItem',
  query: 'dynamodb:Query',
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  delete: 'dynamodb:DeleteItem',
};

/**
 * Exactly these verbs on a table, without its indexes. `leading` narrows them to partitions; the null test is needed
 * because a condition on all of no values is true.
 */
export function tableStatements(
  stateful: Stateful,
  table: 'runs' | 'catalog' | 'chats' | 'sessions',
  verbs: readonly TableVerb[],
  leading?: readonly string[],
): readonly PolicyStatement[] {
  const statement = new PolicyStatement({
    actions: verbs.map((verb) => verbActions[verb]),
    resources: [stateful[table].tableArn],
    ...(leading !== undefined && {
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...leading] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  });
  const writes = verbs.some((verb) => verb !== 'get' && verb !== 'query');
  return [statement, ...keyStatements(stateful, 'dynamodb', writes)];
}

/** Query on one index. */
export function indexStatement(stateful: Stateful, table: 'catalog', index: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${stateful[table].tableArn}/index/${index}`],
  });
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

/** What Lambda needs of a function's role to place it in a network; these actions name no resources. */
export function networkStatement(): PolicyStatement {
  return new PolicyStatement({
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resources: ['*'],
  });
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

/** Each model by the one action that its way of being called needs: Converse, or ConverseStream where it streams. */
export function modelStatements(config: Config): readonly PolicyStatement[] {
  const models = Object.values(config.models);
  const ways = [
    { action: 'bedrock:InvokeModel', used: models.filter(({ stream }) => stream !== true) },
    { action: 'bedrock:InvokeModelWithResponseStream', used: models.filter(({ stream }) => stream === true) },
  ];
  return ways.flatMap(({ action, used }) => {
    const resources = [...new Set(used.map(({ modelId }) => modelId))].sort().flatMap(modelArns);
    return resources.length === 0
      ? []
      : [new PolicyStatement({ actions: [action], resources: [...new Set(resources)] })];
  });
}
