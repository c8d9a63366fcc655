import { account, region } from './concrete.ts';
import { isAllowed, namesOf } from './policies.ts';
import { resourcesOf, synthesize } from './synthesis.ts';

const secretArn = `arn:aws:secretsmanager:${region}:${account}:secret:orders-AbCdEf`;
const other = `arn:aws:secretsmanager:${region}:${account}:secret:other-AbCdEf`;
const network = {
  'orders.vpcId': 'vpc-0123456789abcdef0',
  'orders.subnetIds': '["subnet-0123456789abcdef0","subnet-0123456789abcdef1"]',
  'orders.securityGroupId': 'sg-0123456789abcdef0',
};
const synthesis = synthesize({ 'orders.secretArn': secretArn, ...network });
const { bucket } = namesOf(synthesis);
const created = { 's3:if-none-match': '*', 's3:ObjectCreationOperation': 'true' };
const id = '0123456789abcdef0123456789abcdef';
const body = `${bucket}/results/4f9c/${id}/${id}/body`;
const index = `${bucket}/results/4f9c/${id}/${id}/index`;
const csv = `${bucket}/exports/4f9c/${id}`;
const tool = 'claimcheck-tool-list-orders';

const functionOf = (name: string, from = synthesis) =>
  resourcesOf(from.service, 'AWS::Lambda::Function').find(([, { Properties: at }]) => at['FunctionName'] === name)?.[1];

test('without a database the tool is neither deployed nor offered', () => {
  const bare = synthesize();
  expect(functionOf(tool, bare)).toBeUndefined();
  const offered = functionOf('claimcheck-call-model', bare)?.Properties['Environment'];
  expect(JSON.stringify(offered)).not.toContain('list_orders');
  expect(JSON.stringify(functionOf('claimcheck-call-model')?.Properties['Environment'])).toContain('list_orders');
});

test('the tool joins the network that the settings name, and is told its secret, never a password', () => {
  const made = functionOf(tool);
  expect(made?.Properties['VpcConfig']).toEqual({
    SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
    SecurityGroupIds: ['sg-0123456789abcdef0'],
  });
  const environment = JSON.stringify(made?.Properties['Environment']);
  expect(environment).toContain(`"CLAIMCHECK_ORDERS_SECRET":"${secretArn}"`);
  expect(environment).not.toContain('CLAIMCHECK_ORDERS_URL');
});

test.each([
  ['s3:PutObject', body, created],
  ['s3:PutObject', csv, created],
  ['s3:AbortMultipartUpload', csv, {}],
  ['secretsmanager:GetSecretValue', secretArn, {}],
])('the tool may %s %s', async (action, resource, context) => {
  expect(await isAllowed(synthesis, tool, action, resource, context)).toBe(true);
});

test.each([
  ['s3:PutObject', index, created],
  ['s3:PutObject', csv, { 's3:ObjectCreationOperation': 'true' }],
  ['s3:GetObject', body, {}],
  ['s3:GetObject', csv, {}],
  ['s3:ListBucket', bucket, {}],
  ['s3:DeleteObject', csv, {}],
  ['secretsmanager:GetSecretValue', other, {}],
])('the tool may not %s %s', async (action, resource, context) => {
  expect(await isAllowed(synthesis, tool, action, resource, context)).toBe(false);
});

test('run-tool looks whether a CSV stands, and writes none; other tools write none', async () => {
  expect(await isAllowed(synthesis, 'claimcheck-run-tool', 's3:GetObject', csv)).toBe(true);
  expect(await isAllowed(synthesis, 'claimcheck-run-tool', 's3:PutObject', csv, created)).toBe(false);
  expect(await isAllowed(synthesis, 'claimcheck-tool-service-status', 's3:PutObject', csv, created)).toBe(false);
  expect(await isAllowed(synthesis, 'claimcheck-read-result', 's3:GetObject', csv)).toBe(false);
});

test('settings that belong together are refused apart', () => {
  expect(() => synthesize({ 'orders.secretArn': secretArn, 'orders.localUrl': 'postgresql://a@b/c' })).toThrow(
    /orders\.localUrl/,
  );
  expect(() => synthesize({ 'orders.secretArn': secretArn, 'orders.vpcId': 'vpc-0123456789abcdef0' })).toThrow(
    /orders\.subnetIds and orders\.securityGroupId/,
  );
  expect(() => synthesize({ 'orders.secretArn': 'orders' })).toThrow(/orders\.secretArn/);
});
