import * as z from 'zod';
import { defaultSettings } from '../core/settings.ts';
import { choice, flag, optionalText, share, structured, text, whole } from './setting.ts';

const limits = defaultSettings;
const bytes = (says: string) => ({ unit: 'bytes', says });
const httpsUrl = /^https?:\/\/[^\s/]+(\/[^\s]*)?$/;
const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never);

const model = z.strictObject({
  modelId: z.string().min(1),
  windowTokens: z.int().min(1_000),
  maxTokens: z.int().min(1),
  cachePoints: z.boolean(),
  stream: z.boolean().optional(),
});

/**
 * Every setting there is, with its unit and default; the limits of `core/settings.ts` are among them. Set by CDK
 * context: `-c claimcheck.storage.retentionDays=14`, or an object `claimcheck` in `cdk.json`. Unknown names are refused.
 */
export const configSchema = group({
  name: text(
    'claimcheck',
    { unit: '2 to 20 of a-z, 0-9, -', says: 'Prefix of function and state machine names.' },
    /^[a-z][a-z0-9-]{0,18}[a-z0-9]$/,
  ),
  publicBaseUrl: optionalText(
    {
      unit: 'http(s) address',
      says: 'Where people reach the service: links, callback, cookies. Default: the API’s own address.',
    },
    httpsUrl,
  ),
  runtime: choice(
    ['nodejs24.x', 'nodejs22.x', 'nodejs20.x'],
    'nodejs24.x',
    'Lambda runtime; older ones are for emulators.',
  ),
  architecture: choice(['arm64', 'x86_64'], 'arm64', 'Processor of the functions.'),
  hook: group({ floorBytes: whole(limits.hook.floorBytes, { min: 0 }, bytes('Results up to this pass unchanged.')) }),
  insert: group({
    maxBytes: whole(limits.insert.maxBytes, { min: 2048 }, bytes('What one result may put into the model’s context.')),
    profileBytes: whole(limits.insert.profileBytes, { min: 0 }, bytes('Largest profile shown to the model.')),
  }),
  storage: group({
    maxBytes: whole(limits.storage.maxBytes, { min: 1024, max: 5 * 1024 ** 4 }, bytes('Above this nothing is stored.')),
    retentionDays: whole(
      limits.storage.retentionDays,
      { min: 1, max: 3650 },
      { unit: 'days', says: 'How long a new result is kept.' },
    ),
    longestRetentionDays: whole(
      30,
      { min: 1, max: 3650 },
      {
        unit: 'days',
        says: 'Longest retention ever promised; the bucket keeps two days more. Raise it with retentionDays, never lower it.',
      },
    ),
    uploadTimeoutMs: whole(
      limits.storage.uploadTimeoutMs,
      { min: 1_000, max: 600_000 },
      { unit: 'ms', says: 'Longest wait for one upload.' },
    ),
  }),
  transport: group({
    maxBytes: whole(
      limits.transport.maxBytes,
      { min: 1024, max: 6_000_000 },
      bytes('What a wrapped tool may put on the wire.'),
    ),
    stateMaxBytes: whole(
      limits.transport.stateMaxBytes,
      { min: 1024, max: 200 * 1024 },
      bytes('What a foreign flow may pass through its state.'),
    ),
  }),
  read: group({
    maxBytes: whole(limits.read.maxBytes, { min: 1024 }, bytes('One explicit read, envelope included.')),
    maxRecords: whole(limits.read.maxRecords, { min: 1 }, { unit: 'records', says: 'One explicit read.' }),
  }),
  list: group({ maxBytes: whole(limits.list.maxBytes, { min: 1024 }, bytes('One catalogue listing.')) }),
  analysis: group({
    maxBytes: whole(limits.analysis.maxBytes, { min: 1024 }, bytes('One analysis answer.')),
    keepMaxBytes: whole(
      limits.analysis.keepMaxBytes,
      { min: 1024 ** 2, max: 512 * 1024 ** 2 },
      bytes('Largest answer that keep stores; the engine writes it to its scratch disk first.'),
    ),
    enabled: flag(true, 'Deploy the analysis functions.'),
    memoryMiB: whole(2048, { min: 512, max: 10_240 }, { unit: 'MiB', says: 'Memory of the analysis engine.' }),
    scratchMiB: whole(2048, { min: 512, max: 10_240 }, { unit: 'MiB', says: 'Scratch disk of the analysis engine.' }),
    s3PrefixList: optionalText(
      {
        unit: 'pl-…',
        says: 'The region’s prefix list of S3, the only addresses that the engine may send to. Default: looked up at deployment.',
      },
      /^pl-[0-9a-f]{8,17}$/,
    ),
    pythonInterpreter: optionalText(
      {
        unit: 'identifier of a Code Interpreter',
        says: 'Python, in this Bedrock AgentCore Code Interpreter, e.g. aws.codeinterpreter.v1. Default: no Python.',
      },
      /^(aws\.codeinterpreter\.v1|[A-Za-z][A-Za-z0-9_]{0,47}-[A-Za-z0-9]{10})$/,
    ),
  }),
  run: group({
    maxTurns: whole(
      limits.run.maxTurns,
      { min: 1, max: 100 },
      { unit: 'model calls', says: 'Per run, all its agents together.' },
    ),
    maxToolsPerTurn: whole(
      limits.run.maxToolsPerTurn,
      { min: 1, max: 16 },
      { unit: 'tool calls', says: 'Per model call.' },
    ),
    maxAgeSeconds: whole(
      limits.run.maxAgeSeconds,
      { min: 60, max: 7 * 86_400 },
      { unit: 's', says: 'After this a run is refused and its flow times out.' },
    ),
    maxMessageBytes: whole(
      limits.run.maxMessageBytes,
      { min: 1, max: 256 * 1024 },
      bytes('The message that opens a run.'),
    ),
    maxRefreshes: whole(
      limits.run.maxRefreshes,
      { min: 0 },
      { unit: 'executions', says: 'Times refresh may repeat one oversize call in a run.' },
    ),
    parallelPerOwner: whole(
      limits.run.parallelPerOwner,
      { min: 1 },
      { unit: 'runs', says: 'Running at once for one owner.' },
    ),
    maxTokens: whole(limits.run.maxTokens, { min: 1 }, { unit: 'tokens', says: 'Output of one model call.' }),
    parallelTools: whole(4, { min: 1, max: 16 }, { unit: 'tool calls', says: 'Of one turn at once.' }),
  }),
  retry: group({
    maxAttempts: whole(
      limits.retry.maxAttempts,
      { min: 1, max: 3 },
      { unit: 'executions', says: 'Of one tool call, whatever the layer.' },
    ),
    baseDelayMs: whole(limits.retry.baseDelayMs, { min: 1 }, { unit: 'ms', says: 'First back-off, before jitter.' }),
    maxDelayMs: whole(limits.retry.maxDelayMs, { min: 1, max: 30_000 }, { unit: 'ms', says: 'Longest back-off.' }),
  }),
  quota: group({
    ownerBytes: whole(limits.quota.ownerBytes, { min: 0 }, bytes('Stored for one owner.')),
    runTokens: whole(
      limits.quota.runTokens,
      { min: 1 },
      { unit: 'tokens', says: 'Used by the model calls of one run.' },
    ),
  }),
  alarms: group({
    topicArn: optionalText({ unit: 'SNS topic ARN', says: 'Told of every alarm. Default: nobody.' }, /^arn:[^:]+:sns:/),
    deniedDownloads: whole(20, { min: 1 }, { unit: 'refusals in 5 min', says: 'Above this, denied downloads alarm.' }),
  }),
  guard: group({
    triggerShare: share(limits.guard.triggerShare, { unit: 'share of the window', says: 'Where the guard acts.' }),
    lowShare: share(limits.guard.lowShare, { unit: 'share of the window', says: 'What it shrinks down to.' }),
    replacementBytes: whole(limits.guard.replacementBytes, { min: 0 }, bytes('Whole records kept in a replacement.')),
  }),
  download: group({
    urlSeconds: whole(
      limits.download.urlSeconds,
      { min: 1, max: 60 },
      { unit: 's', says: 'Life of an object address.' },
    ),
  }),
  chat: group({
    retentionDays: whole(limits.chat.retentionDays, { min: 1, max: 3650 }, { unit: 'days', says: 'Saved chats.' }),
  }),
  models: structured(
    z.record(z.string().min(1), model),
    {
      '*': {
        modelId: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
        windowTokens: 200_000,
        maxTokens: 4096,
        cachePoints: true,
      },
    },
    { unit: 'agent or * → {modelId, windowTokens, maxTokens, cachePoints, stream?}', says: 'The model of each agent.' },
  ),
  identity: group({
    kind: choice(['cognito', 'oidc'], 'cognito', 'Who signs people in.'),
    issuer: optionalText(
      { unit: 'http(s) address', says: 'Issuer of tokens; required for oidc, an override for cognito.' },
      httpsUrl,
    ),
    clientId: optionalText({ unit: 'text', says: 'Client of the provider; required for oidc.' }),
    audience: optionalText({ unit: 'text', says: 'Audience of bearer tokens. Default: the client id.' }),
    clientSecretArn: optionalText({ unit: 'secret ARN', says: 'Secret of a confidential oidc client.' }, /^arn:/),
    endpoints: group({
      authorization: optionalText(
        { unit: 'http(s) address', says: 'Sign-in page. Default: from the provider.' },
        httpsUrl,
      ),
      token: optionalText({ unit: 'http(s) address', says: 'Token endpoint. Default: from the provider.' }, httpsUrl),
      endSession: optionalText(
        { unit: 'http(s) address', says: 'Sign-out page. Default: from the provider.' },
        httpsUrl,
      ),
      jwks: optionalText(
        { unit: 'http(s) address', says: 'Key set; {userPoolId} stands for the pool. Default: from the issuer.' },
        httpsUrl,
      ),
    }),
    scopes: text('openid profile', { unit: 'scopes, blank between', says: 'Asked for at sign-in.' }),
    rolesSource: choice(['cognito', 'table', 'token'], 'cognito', 'Where current roles are looked up.'),
    rolesTableArn: optionalText(
      { unit: 'table ARN', says: 'For the source table: pk subject, attribute roles.' },
      /^arn:[^:]+:dynamodb:/,
    ),
    rolesClaim: text('cognito:groups', { unit: 'claim', says: 'For the source token.' }),
    caseSensitive: flag(false, 'Subjects that differ only in case are different people.'),
    local: flag(false, 'Local platform only: key set over plain http, password sign-in by admin call.'),
    domainPrefix: optionalText(
      { unit: 'a-z, 0-9, -', says: 'Cognito domain. Default: name and account.' },
      /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    ),
    requireMfa: flag(false, 'Cognito demands a second factor (time-based code) of everyone.'),
  }),
  flows: group({
    trusted: structured(
      z.array(z.string().regex(/^arn:[^:]+:iam::\d{12}:(role|user)\/.+$/, 'expected a role or user ARN')),
      [],
      {
        unit: 'list of role or user ARNs',
        says: 'May call admit-run directly.',
      },
    ),
  }),
  api: group({
    customId: optionalText(
      { unit: '8 hex digits', says: 'Tag ms-custom-id: fixes the API id on the local platform.' },
      /^[0-9a-f]{8}$/,
    ),
    requestsPerSecond: whole(50, { min: 1 }, { unit: 'requests/s', says: 'Steady rate of the whole API.' }),
    burst: whole(100, { min: 1 }, { unit: 'requests', says: 'Burst of the whole API.' }),
  }),
  logs: group({
    retentionDays: structured(z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365, 731]), 30, {
      unit: 'days, as CloudWatch offers',
      says: 'Logs of functions, flows and the API.',
    }),
  }),
  customerKey: text(
    'none',
    { unit: 'none | create | key ARN', says: 'Encrypts bucket and tables with a key of yours.' },
    /^(none|create|arn:[^:]+:kms:.+:key\/.+)$/,
  ),
  removeDataOnDestroy: flag(false, 'Lets destroy delete bucket, tables and users; for trials.'),
  features: group({
    flowLogs: flag(true, 'Logs of state machines. Off where the emulator refuses them.'),
    tracing: flag(true, 'X-Ray for functions and flows.'),
    trails: flag(false, 'CloudTrail data events of the bucket.'),
    engineNetwork: flag(true, 'Isolated subnets and DNS firewall for the analysis engine.'),
  }),
  exports: group({
    byteOrderMark: flag(true, 'CSV files begin with a UTF-8 byte order mark, without which Excel garbles letters.'),
  }),
  orders: group({
    secretArn: optionalText(
      {
        unit: 'secret ARN',
        says: 'Database of the example tool list_orders: JSON {host, port, username, password, dbname, ca?}. Without it the tool is not deployed.',
      },
      /^arn:[^:]+:secretsmanager:/,
    ),
    vpcId: optionalText({ unit: 'vpc-…', says: 'Network of that database, which the tool joins.' }, /^vpc-[0-9a-f]+$/),
    subnetIds: structured(z.array(z.string().regex(/^subnet-[0-9a-f]+$/)), [], {
      unit: 'list of subnet-…',
      says: 'Subnets of the tool in that network; they reach S3 and Secrets Manager by endpoints.',
    }),
    securityGroupId: optionalText(
      { unit: 'sg-…', says: 'Security group of the tool: what the database lets in.' },
      /^sg-[0-9a-f]+$/,
    ),
    localUrl: optionalText(
      { unit: 'postgresql:// address', says: 'Local platform only: the database with its password in clear.' },
      /^postgresql:\/\//,
    ),
  }),
  examples: group({
    records: whole(60_000, { min: 1, max: 5_000_000 }, { unit: 'records', says: 'Made by the example tools.' }),
    seed: whole(1, { min: 0, max: 2 ** 31 - 1 }, { unit: 'number', says: 'Of the example tools’ data.' }),
  }),
});

export type Config = z.output<typeof configSchema>;
