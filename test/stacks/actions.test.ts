import { roleOf, type Statement } from './policies.ts';
import { ownFunctions, resourcesOf, synthesize } from './synthesis.ts';

const synthesis = synthesize();

/** Every function may write its own log and send traces; the rest is here, action by action. */
const own = ['logs:CreateLogStream', 'logs:PutLogEvents', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
const reads = ['s3:GetObject', 's3:ListBucket'];
const creates = ['s3:AbortMultipartUpload', 's3:PutObject'];
const runsAndCatalogue = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'];
const roles = 'cognito-idp:AdminListGroupsForUser';
const secret = 'secretsmanager:GetSecretValue';

const placing = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

const expected: Readonly<Record<string, readonly string[]>> = {
  'admit-run': [
    roles,
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'states:StartExecution',
  ],
  api: [
    roles,
    'dynamodb:DeleteItem',
    ...runsAndCatalogue,
    ...reads,
    secret,
    'states:DescribeExecution',
    'states:StartExecution',
  ],
  auth: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', secret],
  download: [roles, 'dynamodb:GetItem', 'dynamodb:UpdateItem', ...reads, secret],
  web: [],
  'call-model': ['bedrock:InvokeModel', ...runsAndCatalogue, ...creates, ...reads],
  'run-tool': [...runsAndCatalogue, 'lambda:InvokeFunction', ...creates, ...reads],
  'post-tool-hook': [...runsAndCatalogue, ...creates, ...reads],
  'hand-off': [...runsAndCatalogue, ...creates, ...reads],
  'save-turn': [...runsAndCatalogue, ...reads],
  'close-run': ['dynamodb:DeleteItem', ...runsAndCatalogue, ...reads],
  'list-results': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', secret],
  'read-result': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', ...reads],
  'analyze-result': [
    roles,
    ...['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    'lambda:InvokeFunction',
    ...creates,
    ...reads,
  ],
  // Lambda places it in its network; its own code is denied these very actions.
  'analysis-engine': placing,
  'tool-service-status': [...creates],
  'tool-flights': [],
  'tool-search-notes': [],
};

test('every function has an entry here', () => {
  const names = Object.keys(synthesis.stacks.service.functions);
  expect(names.filter((name) => !(name in expected))).toEqual([]);
  expect(Object.keys(expected).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(Object.entries(expected))('%s has exactly these actions', (name, actions) => {
  const statements = allowing(name);
  expect(actionsOf(statements)).toEqual([...new Set([...own, ...actions])].sort());
});

test.each(Object.keys(expected))(
  '%s: no action and, traces and network interfaces apart, no resource is a bare star',
  (name) => {
    for (const statement of allowing(name)) {
      const resources = [statement.Resource].flat();
      // Neither traces nor network interfaces that do not exist yet have an ARN to name.
      const nameless = actionsOf([statement]).every((action) => action.startsWith('xray:') || placing.includes(action));
      expect(actionsOf([statement]).filter((action) => action.includes('*'))).toEqual([]);
      if (!nameless)
        expect(resources.filter((resource) => /^\*$|^arn:[^:]*:[^:]*:[^:]*:[^:]*:\*$/.test(resource))).toEqual([]);
    }
  },
);

test('what the engine is denied is all that its placing would allow its own code', () => {
  const denied = roleOf(synthesis, 'claimcheck-analysis-engine').statements.filter(({ Effect }) => Effect === 'Deny');
  expect(actionsOf(denied)).toEqual(['ec2:*']);
});

function allowing(name: string): readonly Statement[] {
  return roleOf(synthesis, `claimcheck-${name}`).statements.filter(({ Effect }) => Effect !== 'Deny');
}

test('no role is shared, and only Lambda assumes a function’s', () => {
  const functions = ownFunctions(synthesis.service);
  const assumed = functions.map(([, each]) => JSON.stringify(each.Properties['Role']));
  expect(new Set(assumed).size).toBe(functions.length);
});

test('a function’s defaults: log group that forgets, traces, memory and time set', () => {
  const groups = resourcesOf(synthesis.service, 'AWS::Logs::LogGroup');
  for (const [, group] of groups) expect(group.Properties['RetentionInDays']).toBe(30);
  for (const [, { Properties: each }] of ownFunctions(synthesis.service)) {
    expect(each).toMatchObject({ TracingConfig: { Mode: 'Active' }, Runtime: 'nodejs24.x', Handler: 'index.handler' });
    expect(each['LoggingConfig']).toHaveProperty('LogGroup');
    expect(Number(each['MemorySize'])).toBeGreaterThan(0);
    expect(Number(each['Timeout'])).toBeLessThanOrEqual(900);
    // Would fail in new accounts, whose limit leaves nothing to reserve.
    expect(each).not.toHaveProperty('ReservedConcurrentExecutions');
  }
});

test('service_status keeps its memory: under 512 MB is measured, 512 is what it gets', () => {
  const [, found] =
    ownFunctions(synthesis.service).find(
      ([, each]) => each.Properties['FunctionName'] === 'claimcheck-tool-service-status',
    ) ?? [];
  expect(found?.Properties['MemorySize']).toBeLessThanOrEqual(512);
});

test('admit-run is open to the trusted principals and to nobody else', () => {
  const arn = 'arn:aws:iam::444455556666:role/orders-flow';
  const admitting = (settings: Record<string, unknown>) =>
    resourcesOf(synthesize(settings).service, 'AWS::Lambda::Permission').filter(([, each]) =>
      JSON.stringify(each.Properties['FunctionName']).includes('AdmitRun'),
    );
  expect(admitting({})).toEqual([]);
  expect(admitting({ 'flows.trusted': [arn] }).map(([, each]) => each.Properties)).toEqual([
    expect.objectContaining({ Action: 'lambda:InvokeFunction', Principal: arn }),
  ]);
});

function actionsOf(statements: readonly Statement[]): readonly string[] {
  return [...new Set(statements.flatMap((statement) => [statement.Action].flat()))].sort() as string[];
}
