import { concrete } from './concrete.ts';
import { type CfnTemplate, ownFunctions, resourcesOf, synthesize } from './synthesis.ts';

const standard = synthesize();

/** Properties whose change makes CloudFormation replace the resource (its resource reference, "Replacement"). */
const replacing: Readonly<Record<string, readonly string[]>> = {
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::Cognito::UserPool': ['UsernameAttributes', 'AliasAttributes', 'UsernameConfiguration'],
  'AWS::Cognito::UserPoolClient': ['UserPoolId', 'GenerateSecret'],
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::ApiGatewayV2::Stage': ['ApiId', 'StageName'],
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString'],
};

const kept = (template: CfnTemplate) =>
  Object.fromEntries(
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type in replacing)
      .filter(([id]) => !id.startsWith('ObjectTrail'))
      .map(([id, { Type, Properties }]) => [id, (replacing[Type] ?? []).map((name) => Properties[name] ?? null)]),
  );

test.each([
  [{ 'features.trails': true, 'alarms.topicArn': 'arn:aws:sns:eu-central-1:111122223333:operators' }],
  [{ 'quota.ownerBytes': 1, 'quota.runTokens': 1, 'run.parallelPerOwner': 1, 'run.maxAgeSeconds': 3600 }],
  [{ 'storage.retentionDays': 3650, 'storage.longestRetentionDays': 3650, 'chat.retentionDays': 7 }],
  [{ runtime: 'nodejs22.x', architecture: 'x86_64', 'api.burst': 7, customerKey: 'create' }],
])('a change of %j replaces nothing that holds data', (settings) => {
  expect(kept(synthesize(settings).foundation)).toEqual(kept(standard.foundation));
});

test('a customer key is added to what stands: bucket and tables change their encryption and keep their ids', () => {
  const before = resourcesOf(standard.foundation, 'AWS::DynamoDB::Table').map(([id]) => id);
  const after = synthesize({ customerKey: 'create' }).foundation;
  expect(resourcesOf(after, 'AWS::DynamoDB::Table').map(([id]) => id)).toEqual(before);
  for (const [, { Properties }] of resourcesOf(after, 'AWS::DynamoDB::Table')) {
    expect(Properties['SSESpecification']).toMatchObject({ SSEEnabled: true, SSEType: 'KMS' });
  }
  // A key that stands already is used and not made.
  const given = synthesize({
    customerKey: 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-0000-0000-000000000000',
  });
  expect(resourcesOf(given.foundation, 'AWS::KMS::Key')).toEqual([]);
  expect(JSON.stringify(given.foundation.Resources)).toContain('key/0a1b2c3d');
});

test('the service stack holds nothing that a deployment of the version before could not make again', () => {
  const types = new Set(Object.values(standard.service.Resources).map(({ Type }) => Type));
  for (const type of Object.keys(replacing).filter((each) => !each.endsWith('Stage')))
    expect(types).not.toContain(type);
});

test('functions behind the API end within its 30 s', () => {
  const behind = ['api', 'auth', 'download', 'web'].map((name) => `claimcheck-${name}`);
  const functions = ownFunctions(standard.service).map(([, { Properties }]) => Properties);
  const timeouts = functions
    .filter((each) => behind.includes(String(each['FunctionName'])))
    .map((each) => each['Timeout']);
  expect(timeouts).toHaveLength(4);
  for (const timeout of timeouts) expect(timeout).toBeLessThan(30);
});

test('the variables of every function are under 4 KB', () => {
  const many = Object.fromEntries(
    ['assistant', 'fetcher', 'writer', '*'].map((agent) => [
      agent,
      {
        modelId: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
        windowTokens: 200_000,
        maxTokens: 4096,
        cachePoints: true,
      },
    ]),
  );
  const full = synthesize({
    models: JSON.stringify(many),
    publicBaseUrl: 'https://results.a-rather-long-host-name.example.org/behind/a/path',
    name: 'a-prefix-of-20-chars',
    'run.maxTurns': 11,
    'read.maxBytes': 99_999,
    'insert.maxBytes': 32_768,
  });
  for (const [id, { Properties }] of ownFunctions(full.service)) {
    const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
    const variables = concrete(Variables, full, full.service) as Record<string, string>;
    const bytes = Object.entries(variables).reduce(
      (sum, [name, value]) => sum + Buffer.byteLength(`${name}${value}`),
      0,
    );
    expect({ id, small: bytes < 4 * 1024, bytes }).toEqual({ id, small: true, bytes });
  }
});
