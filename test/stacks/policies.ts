import { runSimulation } from '@cloud-copilot/iam-simulate';
import { account, concrete } from './concrete.ts';
import { type CfnTemplate, resourcesOf, type Synthesis } from './synthesis.ts';

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

export interface Policy {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

/** All that a function's or flow's role may do, by the function's or machine's name. */
export function roleOf(
  synthesis: Synthesis,
  name: string,
): { readonly logicalId: string; readonly statements: readonly Statement[] } {
  const template = synthesis.service;
  const owner = Object.values(template.Resources).find(
    ({ Properties: at }) => at?.['FunctionName'] === name || at?.['StateMachineName'] === name,
  );
  if (owner === undefined) throw new Error(`there is nothing called ${name}`);
  const role = (owner.Properties['Role'] ?? owner.Properties['RoleArn']) as { 'Fn::GetAtt': [string, string] };
  const [logicalId] = role['Fn::GetAtt'];
  const own = template.Resources[logicalId]?.Properties;
  if (own?.['ManagedPolicyArns'] !== undefined || own?.['Policies'] !== undefined) {
    throw new Error(`${logicalId}: only policies of its own are expected`);
  }
  const statements = resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([, policy]) => JSON.stringify(policy.Properties['Roles']) === JSON.stringify([{ Ref: logicalId }]))
    .flatMap(([, policy]) => (policy.Properties['PolicyDocument'] as Policy).Statement);
  return { logicalId, statements: concrete(statements, synthesis, template) as Statement[] };
}

/** The bucket's policy as CloudFormation would make it. */
export function bucketPolicy(synthesis: Synthesis): Policy {
  const [found] = resourcesOf(synthesis.foundation, 'AWS::S3::BucketPolicy');
  return concrete(found?.[1].Properties['PolicyDocument'], synthesis, synthesis.foundation) as Policy;
}

export interface Names {
  readonly bucket: string;
  readonly tables: Readonly<Record<'Runs' | 'Catalog' | 'Chats' | 'Sessions', string>>;
}

/** ARNs of what lasts. */
export function namesOf(synthesis: Synthesis): Names {
  const arn = (type: string, prefix: string) => {
    const id = Object.keys(synthesis.foundation.Resources).find(
      (each) => each.startsWith(prefix) && synthesis.foundation.Resources[each]?.Type === type,
    );
    return concrete({ 'Fn::GetAtt': [id, 'Arn'] }, synthesis, synthesis.foundation) as string;
  };
  const table = (name: string) => arn('AWS::DynamoDB::Table', name);
  return {
    bucket: arn('AWS::S3::Bucket', 'Results'),
    tables: { Runs: table('Runs'), Catalog: table('Catalog'), Chats: table('Chats'), Sessions: table('Sessions') },
  };
}

/** Simulates one request of a function or flow against the synthesised policies, the bucket's included. */
export async function isAllowed(
  synthesis: Synthesis,
  who: string,
  action: string,
  resource: string,
  context: Record<string, string | string[]> = {},
): Promise<boolean> {
  const role = roleOf(synthesis, who);
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:sts::${account}:assumed-role/${role.logicalId}/${who}`,
        action,
        resource: { resource, accountId: account },
        contextVariables: { 'aws:SecureTransport': 'true', ...context },
      },
      identityPolicies: [{ name: 'own', policy: { Version: '2012-10-17', Statement: role.statements } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      ...(action.startsWith('s3:') && { resourcePolicy: bucketPolicy(synthesis) }),
    },
    {},
  );
  if (result.resultType === 'error') throw new Error(`${who} ${action} ${resource}: ${JSON.stringify(result.errors)}`);
  return result.overallResult === 'Allowed';
}

export type { CfnTemplate };
