import type { CfnTemplate, Synthesis } from './synthesis.ts';

export const account = '111122223333';
export const region = 'eu-central-1';

const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Region': region,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** What CloudFormation would make of a value: references, joins and imports replaced by names and ARNs. */
export function concrete(value: unknown, synthesis: Synthesis, template: CfnTemplate): unknown {
  const inner = (part: unknown) => concrete(part, synthesis, template);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) {
    const [name, argument] = only;
    if (name === 'Ref') return pseudo[argument as string] ?? nameOf(argument as string, synthesis, template);
    if (name === 'Fn::GetAtt') {
      const [id, attribute] = argument as [string, string];
      return attribute === 'Arn' ? arnOf(id, synthesis, template) : `${id}.${attribute}`;
    }
    if (name === 'Fn::Join') {
      const [by, parts] = argument as [string, unknown[]];
      return parts.map(inner).join(by);
    }
    if (name === 'Fn::ImportValue') return imported(argument as string, synthesis);
    if (name.startsWith('Fn::')) throw new Error(`no rule for ${name}`);
  }
  return Object.fromEntries(entries.map(([key, part]) => [key, inner(part)]));
}

function imported(name: string, synthesis: Synthesis): unknown {
  const output = Object.values(synthesis.foundation.Outputs).find((each) => each.Export?.Name === name);
  if (output === undefined) throw new Error(`${name} is imported, and nothing exports it`);
  return concrete(output.Value, synthesis, synthesis.foundation);
}

function nameOf(id: string, synthesis: Synthesis, template: CfnTemplate): string {
  const resource = template.Resources[id];
  if (resource === undefined) throw new Error(`there is no resource ${id}`);
  if (resource.Type === 'AWS::StepFunctions::StateMachine') return arnOf(id, synthesis, template);
  if (resource.Type === 'AWS::SecretsManager::Secret') return arnOf(id, synthesis, template);
  const named = resource.Properties['FunctionName'] ?? resource.Properties['LogGroupName'];
  return typeof named === 'string' ? named : id.toLowerCase();
}

function arnOf(id: string, synthesis: Synthesis, template: CfnTemplate): string {
  const resource = template.Resources[id];
  const at = `${region}:${account}`;
  switch (resource?.Type) {
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${id.toLowerCase()}`;
    case 'AWS::DynamoDB::Table':
      return `arn:aws:dynamodb:${at}:table/${id.toLowerCase()}`;
    case 'AWS::Lambda::Function':
      return `arn:aws:lambda:${at}:function:${nameOf(id, synthesis, template)}`;
    case 'AWS::StepFunctions::StateMachine':
      return `arn:aws:states:${at}:stateMachine:${String(resource.Properties['StateMachineName'])}`;
    case 'AWS::Logs::LogGroup':
      return `arn:aws:logs:${at}:log-group:${nameOf(id, synthesis, template)}:*`;
    case 'AWS::SecretsManager::Secret':
      return `arn:aws:secretsmanager:${at}:secret:${id}-AbCdEf`;
    case 'AWS::Cognito::UserPool':
      return `arn:aws:cognito-idp:${at}:userpool/${region}_${id.slice(0, 9)}`;
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${account}:role/${id}`;
    case 'AWS::SQS::Queue':
      return `arn:aws:sqs:${at}:${id}`;
    case 'AWS::KMS::Key':
      return `arn:aws:kms:${at}:key/11111111-2222-3333-4444-555555555555`;
    case 'AWS::Events::Rule':
      return `arn:aws:events:${at}:rule/${id}`;
    default:
      throw new Error(`no ARN for ${id} (${String(resource?.Type)})`);
  }
}
