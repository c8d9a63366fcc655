import { type CfnTemplate, synthesize } from './synthesis.ts';

// Properties whose change makes CloudFormation replace the resource, for what holds data or an address.
const replacing: Readonly<Record<string, readonly string[]>> = {
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::Cognito::UserPool': ['UsernameAttributes', 'AliasAttributes', 'UsernameConfiguration', 'Schema'],
  'AWS::Cognito::UserPoolClient': ['UserPoolId', 'GenerateSecret'],
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::SecretsManager::Secret': ['Name'],
};

const identity = (template: CfnTemplate) =>
  Object.fromEntries(
    Object.entries(template.Resources)
      .filter(([, resource]) => resource.Type in replacing)
      .map(([id, resource]) => [
        id,
        {
          type: resource.Type,
          fixed: (replacing[resource.Type] ?? []).map((name) => [name, resource.Properties[name] ?? null]),
        },
      ]),
  );

const standard = identity(synthesize().foundation);

test('logical ids and replacement-forcing properties of what lasts are those recorded', () => {
  expect(standard).toMatchSnapshot();
});

test.each([
  [{ 'storage.retentionDays': 90, 'storage.longestRetentionDays': 365 }],
  [{ publicBaseUrl: 'https://results.example.org' }],
  [{ name: 'another' }],
  [{ customerKey: 'create' }],
  [{ removeDataOnDestroy: true }],
  [{ 'identity.requireMfa': true, 'identity.domainPrefix': 'another-page' }],
  [{ 'api.requestsPerSecond': 5, 'logs.retentionDays': 7, 'features.tracing': false, 'features.flowLogs': false }],
  [{ 'run.maxTurns': 3, 'insert.maxBytes': 32_768, 'insert.profileBytes': 1024, 'read.maxBytes': 65_536 }],
])('%j replaces nothing that lasts', (settings) => {
  expect(identity(synthesize(settings).foundation)).toEqual(standard);
});

test('what the service stack imports is exported whatever it uses, so that no deployment is blocked', () => {
  const exported = (template: CfnTemplate) =>
    Object.values(template.Outputs)
      .map((each) => each.Export?.Name)
      .filter((name) => name !== undefined)
      .sort();
  const own = synthesize({ 'features.flowLogs': false, 'identity.rolesSource': 'token' });
  expect(exported(own.foundation)).toEqual(exported(synthesize().foundation));
});
