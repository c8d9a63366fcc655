import path from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { projectRoot } from '../../lib/bundling.ts';
import { lint } from '../../scripts/cfn-lint.ts';
import { type Synthesis, synthesize } from './synthesis.ts';

const variants: readonly (readonly [string, Record<string, unknown>])[] = [
  ['by default', {}],
  ['with an own key, longer names and no second factor', { customerKey: 'create', name: 'results-by-reference' }],
  [
    'with an own provider and roles in a table',
    {
      'identity.kind': 'oidc',
      'identity.issuer': 'https://login.example.org',
      'identity.clientId': 'claimcheck',
      'identity.clientSecretArn': 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:oidc-AbCdEf',
      'identity.rolesSource': 'table',
      'identity.rolesTableArn': 'arn:aws:dynamodb:eu-central-1:111122223333:table/roles',
      'identity.endpoints.authorization': 'https://login.example.org/authorize',
      'identity.endpoints.token': 'https://login.example.org/token',
    },
  ],
  [
    'as the local platform has it',
    { 'features.tracing': false, 'features.flowLogs': false, removeDataOnDestroy: true },
  ],
];

describe.each(variants)('%s', (_, settings) => {
  const synthesis = synthesize(settings);

  test('cdk-nag finds nothing that is not explained', () => {
    expect(findings(synthesis)).toEqual([]);
  });

  test('cfn-lint finds nothing', () => {
    const templates = ['Claimcheck-Foundation', 'Claimcheck-Service'].map((name) =>
      path.join(synthesis.folder, `${name}.template.json`),
    );
    expect(lint(projectRoot, templates)).toEqual([]);
  }, 180_000);
});

test('every explanation has a reason of a sentence, and is for one construct and not for a whole stack', () => {
  const { stacks } = synthesize();
  let explained = 0;
  for (const stack of [stacks.foundation, stacks.service]) {
    for (const construct of stack.node.findAll()) {
      for (const reason of Object.values(acknowledged(construct))) {
        explained += 1;
        expect(construct).not.toBe(stack);
        expect(reason.length).toBeGreaterThan(20);
      }
    }
  }
  expect(explained).toBeGreaterThan(10);
});

test('no explanation outlives its finding', () => {
  const synthesis = synthesize();
  const explained = new Set<string>();
  for (const construct of synthesis.app.node.findAll()) {
    for (const id of Object.keys(acknowledged(construct))) explained.add(id.replace(/^annotation::/i, ''));
  }
  // Without the explanations, every finding shows again.
  const silenced = jest.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => {});
  const bare = synthesize();
  silenced.mockRestore();
  const found = new Set(findings(bare).map((each) => each.split(' ')[0]));
  expect([...explained].filter((id) => !found.has(id))).toEqual([]);
});

function findings(synthesis: Synthesis): readonly string[] {
  const { violations } = new AwsSolutionsChecks().validateScope(synthesis.app);
  return violations.flatMap((each) =>
    (each.violatingResources ?? []).map((at) => `${each.ruleName} ${(at as { constructPath?: string }).constructPath}`),
  );
}

function acknowledged(construct: IConstruct): Record<string, string> {
  return Object.assign(
    {},
    ...construct.node.metadata
      .filter((entry) => entry.type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .map((entry) => withoutOwn(entry.data as Record<string, string>)),
  ) as Record<string, string>;
}

/** The CDK explains findings of its own validation to itself, on networks and whole stacks: those are not ours. */
function withoutOwn(explained: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(explained).filter(([id]) => !id.startsWith('CloudFormation-Validate::')));
}
