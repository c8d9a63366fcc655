import { account, region } from './concrete.ts';
import { isAllowed, namesOf } from './policies.ts';
import { synthesize } from './synthesis.ts';

const synthesis = synthesize();
const { bucket, tables } = namesOf(synthesis);
const key = 'results/4f9c/0123456789abcdef0123456789abcdef/fedcba9876543210fedcba9876543210';
const body = `${bucket}/${key}/body`;
const index = `${bucket}/${key}/index`;
const exported = `${bucket}/exports/4f9c/0123456789abcdef0123456789abcdef`;
const staged = `${bucket}/staging/4f9c/0123456789abcdef0123456789abcdef`;
const created = { 's3:if-none-match': '*', 's3:ObjectCreationOperation': 'true' };
const part = { 's3:ObjectCreationOperation': 'false' };
const lambda = (name: string) => `arn:aws:lambda:${region}:${account}:function:claimcheck-${name}`;
const machine = (agent: string) => `arn:aws:states:${region}:${account}:stateMachine:claimcheck-${agent}`;
const execution = (agent: string) => `arn:aws:states:${region}:${account}:execution:claimcheck-${agent}:0123`;
const run = { 'dynamodb:LeadingKeys': ['run#0123'] };
const active = { 'dynamodb:LeadingKeys': ['active#4f9c'] };
const session = { 'dynamodb:LeadingKeys': ['session#0123'] };
const tombstone = { 'dynamodb:LeadingKeys': ['erased#4f9c'] };

type Case = readonly [action: string, resource: string, context?: Record<string, string | string[]>];

const may = (who: string, ...cases: readonly Case[]) => ({ who, cases, allowed: true });
const mayNot = (who: string, ...cases: readonly Case[]) => ({ who, cases, allowed: false });

const creators = ['call-model', 'run-tool', 'post-tool-hook', 'hand-off'];
const everyone = Object.keys(synthesis.stacks.service.functions);

describe('storage', () => {
  check([
    ...creators.map((who) =>
      may(
        who,
        ['s3:PutObject', body, created],
        ['s3:PutObject', body, part],
        ['s3:PutObject', index, created],
        ['s3:AbortMultipartUpload', body],
        ['s3:GetObject', body],
        ['s3:GetObject', index],
        ['s3:ListBucket', bucket, { 's3:prefix': `${key}/body` }],
      ),
    ),
    // The bucket itself refuses a write that could replace something, whoever asks.
    ...creators.map((who) =>
      mayNot(
        who,
        ['s3:PutObject', body, { 's3:ObjectCreationOperation': 'true' }],
        ['s3:PutObject', index, { 's3:ObjectCreationOperation': 'true' }],
        ['s3:PutObject', body, { ...created, 'aws:SecureTransport': 'false' }],
        ['s3:PutObject', exported, created],
        ['s3:PutObject', `${bucket}/elsewhere`, created],
      ),
    ),
    may('tool-service-status', ['s3:PutObject', body, created], ['s3:AbortMultipartUpload', body]),
    mayNot(
      'tool-service-status',
      ['s3:PutObject', index, created],
      ['s3:PutObject', exported, created],
      ['s3:PutObject', body, { 's3:ObjectCreationOperation': 'true' }],
      ['s3:GetObject', body],
      ['s3:GetObject', index],
      ['s3:ListBucket', bucket, { 's3:prefix': 'results/' }],
      ['s3:DeleteObject', body],
    ),
    ...['tool-flights', 'tool-search-notes'].map((who) =>
      mayNot(who, ['s3:PutObject', body, created], ['s3:GetObject', body]),
    ),
    may('download', ['s3:GetObject', body], ['s3:GetObject', index], ['s3:GetObject', exported]),
    may('download', ['s3:ListBucket', bucket, { 's3:prefix': exported.slice(bucket.length + 1) }]),
    mayNot(
      'download',
      ['s3:PutObject', body, created],
      ['s3:PutObject', exported, created],
      ['s3:GetObject', `${bucket}/elsewhere`],
      ['s3:ListBucket', bucket, { 's3:prefix': '' }],
      ['s3:ListBucket', bucket],
    ),
    ...['api', 'read-result', 'save-turn', 'close-run'].map((who) => may(who, ['s3:GetObject', body])),
    ...['api', 'read-result', 'list-results', 'save-turn', 'close-run', 'admit-run', 'auth', 'web'].map((who) =>
      mayNot(who, ['s3:PutObject', body, created], ['s3:PutObject', index, created], ['s3:GetObject', exported]),
    ),
    ...['list-results', 'admit-run', 'auth', 'web'].map((who) => mayNot(who, ['s3:GetObject', body])),
    // What the engine leaves: the broker signs for it and reads it, nobody else comes near it, and nobody writes over it.
    may(
      'analyze-result',
      ['s3:PutObject', staged, created],
      ['s3:GetObject', staged],
      ['s3:ListBucket', bucket, { 's3:prefix': staged.slice(bucket.length + 1) }],
      ['s3:PutObject', body, created],
    ),
    mayNot(
      'analyze-result',
      ['s3:PutObject', staged, { 's3:ObjectCreationOperation': 'true' }],
      ['s3:DeleteObject', staged],
    ),
    ...everyone
      .filter((who) => who !== 'analyze-result')
      .map((who) => mayNot(who, ['s3:PutObject', staged, created], ['s3:GetObject', staged])),
    ...everyone.map((who) =>
      mayNot(
        who,
        ['s3:DeleteObject', body],
        ['s3:PutBucketPolicy', bucket],
        ['s3:PutLifecycleConfiguration', bucket],
        ['s3:PutObjectAcl', body],
      ),
    ),
  ]);
});

describe('tables', () => {
  check([
    ...[...creators, 'save-turn', 'close-run'].map((who) =>
      may(who, ['dynamodb:GetItem', tables.Runs, run], ['dynamodb:PutItem', tables.Runs, run]),
    ),
    may('admit-run', ['dynamodb:PutItem', tables.Runs, run], ['dynamodb:PutItem', tables.Runs, active]),
    may('admit-run', ['dynamodb:GetItem', tables.Sessions, tombstone]),
    mayNot('admit-run', ['dynamodb:GetItem', tables.Sessions, session], ['dynamodb:UpdateItem', tables.Runs, run]),
    may('api', ['dynamodb:Query', `${tables.Catalog}/index/byTime`], ['dynamodb:UpdateItem', tables.Chats]),
    // A chat is hidden and a session is ended where they stand: only an erasure, and a sign-out, delete.
    ...['api', 'download'].map((who) =>
      mayNot(who, ['dynamodb:DeleteItem', tables.Chats], ['dynamodb:DeleteItem', tables.Sessions, session]),
    ),
    // Whether the chat that it continues was deleted, and whether a reference is the owner's: one item each.
    may('admit-run', ['dynamodb:GetItem', tables.Chats], ['dynamodb:GetItem', tables.Catalog]),
    mayNot('admit-run', ['dynamodb:Query', tables.Chats], ['dynamodb:Query', tables.Catalog]),
    mayNot('list-results', ['dynamodb:Query', `${tables.Catalog}/index/byTime`]),
    mayNot('api', ['dynamodb:PutItem', tables.Catalog], ['dynamodb:DeleteItem', tables.Runs, run]),
    may('auth', ['dynamodb:PutItem', tables.Sessions, session], ['dynamodb:DeleteItem', tables.Sessions, session]),
    mayNot(
      'auth',
      ['dynamodb:GetItem', tables.Runs, run],
      ['dynamodb:GetItem', tables.Chats],
      ['dynamodb:GetItem', tables.Catalog],
      ['dynamodb:PutItem', tables.Sessions, tombstone],
    ),
    may('download', ['dynamodb:GetItem', tables.Sessions, session]),
    mayNot(
      'download',
      ['dynamodb:PutItem', tables.Sessions, session],
      ['dynamodb:GetItem', tables.Runs, run],
      ['dynamodb:GetItem', tables.Chats],
      ['dynamodb:PutItem', tables.Catalog],
    ),
    may('save-turn', ['dynamodb:PutItem', tables.Chats], ['dynamodb:UpdateItem', tables.Runs, run]),
    mayNot('save-turn', ['dynamodb:DeleteItem', tables.Chats], ['dynamodb:PutItem', tables.Catalog]),
    may('list-results', ['dynamodb:Query', tables.Catalog], ['dynamodb:PutItem', tables.Runs, run]),
    ...['list-results', 'read-result'].map((who) =>
      mayNot(who, ['dynamodb:PutItem', tables.Catalog], ['dynamodb:GetItem', tables.Chats]),
    ),
    ...creators.map((who) =>
      mayNot(
        who,
        ['dynamodb:PutItem', tables.Chats],
        ['dynamodb:GetItem', tables.Sessions, session],
        ['dynamodb:UpdateItem', tables.Catalog],
        ['dynamodb:DeleteItem', tables.Runs, run],
      ),
    ),
    // Earlier turns of the chat go into the model's request, and nowhere else in a flow.
    may('call-model', ['dynamodb:Query', tables.Chats]),
    // The header alone, whose gates a delegate's stored text carries on.
    // A delegate’s text is kept no longer than what the chat’s earlier turns rest on.
    may('hand-off', ['dynamodb:GetItem', tables.Chats], ['dynamodb:Query', tables.Chats]),
    ...['run-tool', 'post-tool-hook'].map((who) => mayNot(who, ['dynamodb:Query', tables.Chats])),
    ...everyone.map((who) =>
      mayNot(
        who,
        ['dynamodb:Scan', tables.Runs],
        ['dynamodb:Scan', tables.Sessions],
        ['dynamodb:Scan', tables.Chats],
        ['dynamodb:DeleteTable', tables.Chats],
        // Without a partition, a condition on "all of none" must not open the table.
        ['dynamodb:GetItem', tables.Runs, { 'dynamodb:LeadingKeys': ['other#1'] }],
        ['dynamodb:PutItem', tables.Runs, { 'dynamodb:LeadingKeys': ['run#1', 'other#1'] }],
        ['dynamodb:GetItem', tables.Runs],
      ),
    ),
  ]);
});

describe('functions, flows and models', () => {
  const tools = ['tool-service-status', 'tool-flights', 'tool-search-notes', 'list-results', 'read-result'];
  const model = `arn:aws:bedrock:${region}::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0`;
  const profile = `arn:aws:bedrock:${region}:${account}:inference-profile/global.anthropic.claude-sonnet-4-5-20250929-v1:0`;
  const other = `arn:aws:bedrock:${region}::foundation-model/amazon.nova-pro-v1:0`;
  check([
    may('run-tool', ...tools.map((tool): Case => ['lambda:InvokeFunction', lambda(tool)])),
    mayNot(
      'run-tool',
      ['lambda:InvokeFunction', lambda('run-tool')],
      ['lambda:InvokeFunction', lambda('call-model')],
      ['lambda:InvokeFunction', lambda('admit-run')],
      ['lambda:InvokeFunction', lambda('analysis-engine')],
      ['bedrock:InvokeModel', model],
    ),
    ...everyone
      .filter((who) => who !== 'run-tool')
      .map((who) => mayNot(who, ...tools.map((tool): Case => ['lambda:InvokeFunction', lambda(tool)]))),
    may('call-model', ['bedrock:InvokeModel', model], ['bedrock:InvokeModel', profile]),
    mayNot('call-model', ['bedrock:InvokeModel', other]),
    ...everyone.filter((who) => who !== 'call-model').map((who) => mayNot(who, ['bedrock:InvokeModel', model])),
    may('api', ['states:StartExecution', machine('assistant')], ['states:DescribeExecution', execution('research')]),
    mayNot(
      'api',
      ['states:StartExecution', machine('another')],
      ['states:StopExecution', execution('assistant')],
      ['states:GetExecutionHistory', execution('assistant')],
    ),
    ...everyone
      .filter((who) => who !== 'api' && who !== 'admit-run')
      .map((who) => mayNot(who, ['states:StartExecution', machine('assistant')])),
    may('admit-run', ['states:StartExecution', machine('notes')]),
    mayNot(
      'admit-run',
      ['states:StartExecution', machine('another')],
      ['states:DescribeExecution', execution('notes')],
    ),
  ]);
});

describe('flows', () => {
  const uses: Record<string, readonly string[]> = {
    assistant: ['call-model', 'run-tool', 'save-turn'],
    notes: ['call-model', 'run-tool', 'save-turn', 'post-tool-hook', 'tool-search-notes'],
    research: ['call-model', 'run-tool', 'save-turn', 'hand-off'],
  };
  check(
    Object.entries(uses).flatMap(([agent, used]) => [
      may(agent, ...used.map((name): Case => ['lambda:InvokeFunction', lambda(name)])),
      mayNot(
        agent,
        ...everyone.filter((name) => !used.includes(name)).map((name): Case => ['lambda:InvokeFunction', lambda(name)]),
        ['s3:GetObject', body],
        ['dynamodb:GetItem', tables.Runs, run],
        ['states:StartExecution', machine(agent)],
      ),
    ]),
  );
});

describe('identity', () => {
  const pool = Object.entries(synthesis.foundation.Resources).find(
    ([, each]) => each.Type === 'AWS::Cognito::UserPool',
  );
  const users = `arn:aws:cognito-idp:${region}:${account}:userpool/${region}_${String(pool?.[0]).slice(0, 9)}`;
  const secret = Object.entries(synthesis.foundation.Resources).find(([, each]) => each.Type.endsWith('::Secret'));
  const sealing = `arn:aws:secretsmanager:${region}:${account}:secret:${String(secret?.[0])}-AbCdEf`;
  const lookers = ['admit-run', 'api', 'download', 'analyze-result'].filter((who) => everyone.includes(who));
  const sealers = ['api', 'auth', 'download', 'list-results'];
  check([
    ...lookers.map((who) => may(who, ['cognito-idp:AdminListGroupsForUser', users])),
    ...everyone
      .filter((who) => !lookers.includes(who))
      .map((who) => mayNot(who, ['cognito-idp:AdminListGroupsForUser', users])),
    ...everyone.map((who) =>
      mayNot(who, ['cognito-idp:AdminAddUserToGroup', users], ['cognito-idp:AdminSetUserPassword', users]),
    ),
    ...sealers.map((who) => may(who, ['secretsmanager:GetSecretValue', sealing])),
    ...everyone
      .filter((who) => !sealers.includes(who))
      .map((who) => mayNot(who, ['secretsmanager:GetSecretValue', sealing])),
  ]);
});

function check(lists: readonly { who: string; cases: readonly Case[]; allowed: boolean }[]): void {
  const rows = lists.flatMap(({ who, cases, allowed }) => cases.map((each) => ({ who, allowed, each })));
  for (const { who, allowed, each } of rows) {
    const [action, resource, context] = each;
    const on = resource.split(/[/:]/).slice(-2).join('/');
    test(`${who} ${allowed ? 'may' : 'may not'} ${action} on ${on} ${JSON.stringify(context ?? '')}`, async () => {
      expect(await isAllowed(synthesis, `claimcheck-${who}`, action, resource, context)).toBe(allowed);
    });
  }
}
