import { runSimulation } from '@cloud-copilot/iam-simulate';
import { account, concrete, region } from './concrete.ts';
import { type Policy, roleOf } from './policies.ts';
import { resourcesOf, synthesize } from './synthesis.ts';

// With a key of the operator, each role may use it through the service that keeps the data, and not otherwise.
const synthesis = synthesize({ customerKey: 'create' });
const [id, made] = resourcesOf(synthesis.foundation, 'AWS::KMS::Key')[0] ?? ['', undefined];
const key = concrete({ 'Fn::GetAtt': [id, 'Arn'] }, synthesis, synthesis.foundation) as string;
const keyPolicy = concrete(made?.Properties['KeyPolicy'], synthesis, synthesis.foundation) as Policy;
const via = (service: string) => ({ 'kms:ViaService': `${service}.${region}.amazonaws.com` });

async function isAllowed(name: string, action: string, context: Record<string, string> = {}): Promise<boolean> {
  const role = roleOf(synthesis, `claimcheck-${name}`);
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:sts::${account}:assumed-role/${role.logicalId}/claimcheck-${name}`,
        action,
        resource: { resource: key, accountId: account },
        contextVariables: context,
      },
      identityPolicies: [{ name: 'own', policy: { Version: '2012-10-17', Statement: role.statements } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      resourcePolicy: keyPolicy,
    },
    {},
  );
  if (result.resultType === 'error') throw new Error(`${name} ${action}: ${JSON.stringify(result.errors)}`);
  return result.overallResult === 'Allowed';
}

test.each([
  ['run-tool', 'kms:GenerateDataKey', 's3', true],
  ['run-tool', 'kms:Decrypt', 's3', true],
  ['run-tool', 'kms:GenerateDataKey', 'dynamodb', true],
  ['tool-service-status', 'kms:GenerateDataKey', 's3', true],
  ['download', 'kms:Decrypt', 's3', true],
  ['download', 'kms:GenerateDataKey', 's3', false],
  ['read-result', 'kms:Decrypt', 's3', true],
  ['read-result', 'kms:GenerateDataKey', 's3', false],
  ['save-turn', 'kms:GenerateDataKey', 'dynamodb', true],
  ['tool-flights', 'kms:Decrypt', 's3', false],
  ['web', 'kms:Decrypt', 's3', false],
  ['run-tool', 'kms:Decrypt', 'secretsmanager', false],
] as const)('%s: %s through %s is allowed: %s', async (name, action, service, allowed) => {
  expect(await isAllowed(name, action, via(service))).toBe(allowed);
});

test.each(Object.keys(synthesis.stacks.service.functions))(
  '%s cannot use the key directly, nor manage it',
  async (name) => {
    for (const action of [
      'kms:Decrypt',
      'kms:GenerateDataKey',
      'kms:PutKeyPolicy',
      'kms:ScheduleKeyDeletion',
      'kms:CreateGrant',
    ]) {
      expect({ action, allowed: await isAllowed(name, action) }).toEqual({ action, allowed: false });
    }
  },
);
