import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relaxPolicies } from '../../../local/enforcement.ts';

const folder = mkdtempSync(join(tmpdir(), 'enforcement-'));
afterAll(() => rmSync(folder, { recursive: true }));

const keyed = {
  Effect: 'Allow',
  Action: 'dynamodb:GetItem',
  Resource: 'table',
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['run#*'] } },
};
const plain = { Effect: 'Allow', Action: 's3:GetObject', Resource: 'bucket/results/*' };
const prefixed = { ...plain, Action: 's3:ListBucket', Condition: { StringLike: { 's3:prefix': ['results/*'] } } };
const secret = { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: 'Sealing-1' };
const tls = { Effect: 'Deny', Action: 's3:*', Resource: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
const createOnly = {
  Effect: 'Deny',
  Action: 's3:PutObject',
  Resource: '*',
  Condition: { Null: { 's3:if-none-match': 'true' } },
};

test('only what the emulator cannot know is relaxed, in policies kept as text and as objects; twice changes nothing', () => {
  writeFileSync(
    join(folder, 'iam.json'),
    JSON.stringify({ roles: { role: JSON.stringify({ Statement: [keyed, plain, prefixed, secret] }) } }),
  );
  writeFileSync(join(folder, 's3.json'), JSON.stringify({ policies: [{ Statement: [tls, createOnly] }] }));
  expect(relaxPolicies(folder)).toBe(3);
  const { Condition: _condition, ...unkeyed } = keyed;
  const iam = JSON.parse(readFileSync(join(folder, 'iam.json'), 'utf8')) as { roles: { role: string } };
  expect(JSON.parse(iam.roles.role)).toEqual({
    Statement: [unkeyed, plain, prefixed, { ...secret, Resource: 'arn:aws:secretsmanager:*:*:secret:Sealing-1*' }],
  });
  expect(JSON.parse(readFileSync(join(folder, 's3.json'), 'utf8'))).toEqual({
    policies: [{ Statement: [createOnly] }],
  });
  expect(relaxPolicies(folder)).toBe(0);
});
