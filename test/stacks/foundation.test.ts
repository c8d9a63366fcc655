import { bucketPolicy, namesOf } from './policies.ts';
import { type CfnTemplate, resourcesOf, synthesize } from './synthesis.ts';

const standard = synthesize({ 'storage.retentionDays': 14, 'storage.longestRetentionDays': 60 });
const stateful = [
  'AWS::S3::Bucket',
  'AWS::DynamoDB::Table',
  'AWS::Cognito::UserPool',
  'AWS::ApiGatewayV2::Api',
  'AWS::SecretsManager::Secret',
];

const bucketOf = (template: CfnTemplate) => resourcesOf(template, 'AWS::S3::Bucket')[0]?.[1].Properties ?? {};

test('what lasts is all in the foundation, kept on destroy and on replacement', () => {
  for (const type of stateful) {
    expect(resourcesOf(standard.service, type)).toEqual([]);
    const found = resourcesOf(standard.foundation, type);
    expect({ type, found: found.length }).toEqual({ type, found: type === 'AWS::DynamoDB::Table' ? 4 : 1 });
    for (const [id, resource] of found) {
      expect({ id, deletion: resource.DeletionPolicy, replace: resource.UpdateReplacePolicy }).toEqual({
        id,
        deletion: 'Retain',
        replace: 'Retain',
      });
    }
  }
  expect(standard.stacks.foundation.terminationProtection).toBe(true);
});

test('tables: keys, time to live, point-in-time recovery, deletion protection, on demand', () => {
  for (const [id, { Properties: table }] of resourcesOf(standard.foundation, 'AWS::DynamoDB::Table')) {
    expect({ id, ...table }).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
      BillingMode: 'PAY_PER_REQUEST',
    });
    const indexes = (table['GlobalSecondaryIndexes'] ?? []) as { IndexName: string; KeySchema: unknown }[];
    expect(indexes.map((each) => each.IndexName)).toEqual(id.startsWith('Catalog') ? ['byTime'] : []);
    if (indexes[0]) {
      expect(indexes[0].KeySchema).toEqual([
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ]);
    }
  }
});

test('the bucket is private, encrypted, unversioned, and keeps two days more than the longest promise', () => {
  const bucket = bucketOf(standard.foundation);
  expect(bucket).toMatchObject({
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    LifecycleConfiguration: {
      Rules: [
        { Id: 'results', Prefix: 'results/', Status: 'Enabled', ExpirationInDays: 62 },
        { Id: 'exports', Prefix: 'exports/', Status: 'Enabled', ExpirationInDays: 62 },
        { Id: 'staging', Prefix: 'staging/', Status: 'Enabled', ExpirationInDays: 1 },
        {
          Id: 'unfinished-uploads',
          Status: 'Enabled',
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    },
  });
  expect(bucket['VersioningConfiguration']).toBeUndefined();
  expect(JSON.stringify(bucket['BucketEncryption'])).toContain('AES256');
});

test('the create-only statement is exactly the one of DESIGN 6', () => {
  const { bucket } = namesOf(standard);
  const statement = bucketPolicy(standard).Statement.find((each) => (each as { Sid?: string }).Sid === 'CreateOnly');
  expect(statement).toEqual({
    Sid: 'CreateOnly',
    Effect: 'Deny',
    Principal: { AWS: '*' },
    Action: 's3:PutObject',
    Resource: `${bucket}/*`,
    Condition: { Null: { 's3:if-none-match': 'true' }, Bool: { 's3:ObjectCreationOperation': 'true' } },
  });
});

test('plain http and old TLS are refused by the bucket', () => {
  const denied = bucketPolicy(standard)
    .Statement.filter((each) => each.Effect === 'Deny')
    .map((each) => each.Condition);
  expect(denied).toContainEqual({ Bool: { 'aws:SecureTransport': 'false' } });
  expect(denied).toContainEqual({ NumericLessThan: { 's3:TlsVersion': 1.2 } });
});

test('nobody signs up by themselves, and the client holds no secret and takes codes only', () => {
  const [pool] = resourcesOf(standard.foundation, 'AWS::Cognito::UserPool');
  expect(pool?.[1].Properties).toMatchObject({
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    DeletionProtection: 'ACTIVE',
    UsernameConfiguration: { CaseSensitive: false },
  });
  const [client] = resourcesOf(standard.foundation, 'AWS::Cognito::UserPoolClient');
  expect(client?.[1].Properties).toMatchObject({
    AllowedOAuthFlows: ['code'],
    GenerateSecret: false,
    PreventUserExistenceErrors: 'ENABLED',
  });
  expect(client?.[1].Properties['ExplicitAuthFlows']).not.toContain('ALLOW_ADMIN_USER_PASSWORD_AUTH');
});

test('an own OIDC provider: no pool, and the functions are told the provider', () => {
  const own = synthesize({
    'identity.kind': 'oidc',
    'identity.issuer': 'https://login.example.org/tenant/',
    'identity.clientId': 'claimcheck',
    'identity.rolesSource': 'token',
    'identity.endpoints.authorization': 'https://login.example.org/authorize',
    'identity.endpoints.token': 'https://login.example.org/token',
  });
  expect(resourcesOf(own.foundation, 'AWS::Cognito::UserPool')).toEqual([]);
  expect(own.foundation.Outputs['UserPoolId']).toBeUndefined();
  expect(own.stacks.foundation.stateful.identity).toMatchObject({
    kind: 'oidc',
    issuer: 'https://login.example.org/tenant/',
    audience: 'claimcheck',
    jwksUri: 'https://login.example.org/tenant/.well-known/jwks.json',
    roles: 'token',
  });
  expect(JSON.stringify(own.service)).not.toContain('cognito-idp:');
});

test('the API: throttled, logged by route and never by path, its id fixed by a tag when set', () => {
  const [stage] = resourcesOf(standard.foundation, 'AWS::ApiGatewayV2::Stage');
  expect(stage?.[1].Properties).toMatchObject({
    StageName: '$default',
    AutoDeploy: true,
    DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
  });
  const logged = JSON.stringify(stage?.[1].Properties['AccessLogSettings']);
  expect(logged).toContain('$context.routeKey');
  expect(logged).not.toMatch(/context\.(path|identity|authorizer)/);
  const tagged = synthesize({ 'api.customId': 'c1a1ac4e' });
  expect(resourcesOf(tagged.foundation, 'AWS::ApiGatewayV2::Api')[0]?.[1].Properties['Tags']).toMatchObject({
    'ms-custom-id': 'c1a1ac4e',
  });
});

test('outputs are those of the contract', () => {
  const names = [
    ...['BucketName', 'RunsTable', 'CatalogTable', 'ChatsTable', 'SessionsTable'],
    ...['UserPoolId', 'UserPoolClientId', 'ApiId', 'BaseUrl'],
  ];
  expect(Object.keys(standard.foundation.Outputs)).toEqual(expect.arrayContaining(names));
  expect(Object.keys(standard.service.Outputs).sort()).toEqual(['FlowArns', 'FunctionNames']);
});

test('a key of the operator encrypts bucket and tables, and each role may use it through S3 and DynamoDB only', () => {
  const own = synthesize({ customerKey: 'create' });
  expect(resourcesOf(own.foundation, 'AWS::KMS::Key')[0]?.[1]).toMatchObject({
    DeletionPolicy: 'Retain',
    Properties: { EnableKeyRotation: true },
  });
  expect(JSON.stringify(bucketOf(own.foundation)['BucketEncryption'])).toContain('aws:kms');
  for (const [, { Properties: table }] of resourcesOf(own.foundation, 'AWS::DynamoDB::Table')) {
    expect(table['SSESpecification']).toMatchObject({ SSEEnabled: true, SSEType: 'KMS' });
  }
  for (const [, policy] of resourcesOf(own.service, 'AWS::IAM::Policy')) {
    const document = policy.Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] };
    for (const statement of document.Statement) {
      if (JSON.stringify(statement['Action']).includes('kms:')) {
        expect(JSON.stringify(statement['Condition'])).toContain('kms:ViaService');
      }
    }
  }
});

test('removeDataOnDestroy takes every protection away, for trials', () => {
  const trial = synthesize({ removeDataOnDestroy: true });
  for (const type of stateful) {
    for (const [, resource] of resourcesOf(trial.foundation, type)) expect(resource.DeletionPolicy).toBe('Delete');
  }
  expect(trial.stacks.foundation.terminationProtection).toBe(false);
});
