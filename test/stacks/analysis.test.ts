import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { engineSource } from '../../lib/analysis-engine.ts';
import type { BundleSource } from '../../lib/bundle-source.ts';
import { buildBundle } from '../../lib/bundling.ts';
import { askingFunction, resourcesOf, synthesize } from './synthesis.ts';

jest.setTimeout(300_000);
const { service } = synthesize();

function engineProperties(): Record<string, unknown> {
  const found = resourcesOf(service, 'AWS::Lambda::Function').find(
    ([, { Properties }]) => Properties['FunctionName'] === 'claimcheck-analysis-engine',
  );
  if (found === undefined) throw new Error('there is no engine');
  return found[1].Properties;
}

/** Rules by which traffic leaves the engine; it takes none in. */
function egress(template: typeof service): readonly Record<string, unknown>[] {
  const [group] = resourcesOf(template, 'AWS::EC2::SecurityGroup')
    .map(([, { Properties }]) => Properties)
    .filter(({ GroupDescription }) => String(GroupDescription).startsWith('Analysis engine'));
  expect(group?.['SecurityGroupIngress']).toBeUndefined();
  expect(resourcesOf(template, 'AWS::EC2::SecurityGroupIngress')).toEqual([]);
  return (group?.['SecurityGroupEgress'] ?? []) as Record<string, unknown>[];
}

/** What stands behind the bucket in an ARN. */
const keyPattern = (resource: unknown) => /\/[a-z]+\/[^"]*/.exec(JSON.stringify(resource))?.[0];

describe('the engine’s role', () => {
  const statements = resourcesOf(service, 'AWS::IAM::Policy')
    .filter(([id]) => id.startsWith('AnalysisEngine'))
    .flatMap(
      ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement,
    );
  const actions = (effect: string) =>
    statements.filter((each) => each['Effect'] === effect).flatMap((each) => [each['Action']].flat() as string[]);

  test('can write its log, be placed in its network, and nothing that touches data', () => {
    const other = actions('Allow').filter(
      (action) => !/^(logs:(CreateLogStream|PutLogEvents)|xray:Put|ec2:)/.test(action),
    );
    expect(other).toEqual([]);
    expect(actions('Allow').length).toBeGreaterThan(3);
  });

  test('code inside the function can do nothing with interfaces', () => {
    expect(statements).toContainEqual({
      Effect: 'Deny',
      Action: 'ec2:*',
      Resource: '*',
      Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    });
  });

  test('its variables name no place of data and no secret', () => {
    const { Variables } = engineProperties()['Environment'] as { Variables: Record<string, unknown> };
    expect(Object.keys(Variables).sort()).toEqual([
      'CLAIMCHECK_NAME',
      'CLAIMCHECK_SETTINGS',
      'NODE_OPTIONS',
      'POWERTOOLS_SERVICE_NAME',
    ]);
  });
});

describe('the engine’s network', () => {
  test('has no way to the internet', () => {
    expect(engineProperties()['VpcConfig']).toBeDefined();
    for (const type of ['AWS::EC2::InternetGateway', 'AWS::EC2::NatGateway', 'AWS::EC2::Route']) {
      expect(resourcesOf(service, type)).toEqual([]);
    }
  });

  test('leads from bodies of our bucket and to the place of uploads only', () => {
    const endpoints = resourcesOf(service, 'AWS::EC2::VPCEndpoint').map(([, { Properties }]) => Properties);
    expect(endpoints).toHaveLength(1);
    const [endpoint = {}] = endpoints;
    const { Statement } = endpoint['PolicyDocument'] as { Statement: Record<string, unknown>[] };
    expect(Statement.map(({ Effect, Action, Resource }) => [Effect, Action, keyPattern(Resource)])).toEqual([
      ['Allow', 's3:GetObject', '/results/*/*/*/body'],
      ['Allow', 's3:PutObject', '/staging/*/*'],
    ]);
  });

  test('lets out to the addresses of S3, at port 443, and nothing in', () => {
    // Inline: a group without a rule of its own is made with one that lets everything out.
    const [rule, ...others] = egress(service);
    expect(others).toEqual([]);
    const { Description: _, DestinationPrefixListId: list, ...rest } = rule ?? {};
    expect(rest).toEqual({ IpProtocol: 'tcp', FromPort: 443, ToPort: 443 });
    expect(list).toMatchObject({
      'Fn::GetAtt': [expect.stringContaining('S3Addresses'), 'PrefixLists.0.PrefixListId'],
    });
  });

  test('the list of those addresses is asked for at deployment, by a role that may ask that and write its log', () => {
    const [asked, ...others] = resourcesOf(service, 'Custom::S3Addresses').map(([, { Properties }]) => Properties);
    expect(others).toEqual([]);
    for (const event of ['Create', 'Update']) {
      expect(JSON.stringify(asked?.[event])).toMatch(/DescribeManagedPrefixLists.*com\.amazonaws\..*AWS::Region.*\.s3/);
    }
    const statements = resourcesOf(service, 'AWS::IAM::Policy')
      .filter(([id]) => id.includes('S3Addresses'))
      .flatMap(
        ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement,
      );
    expect(statements.flatMap(({ Action }) => [Action].flat()).sort()).toEqual([
      'ec2:DescribeManagedPrefixLists',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ]);
    // The right has to be there before it is used.
    const [[, asking] = []] = resourcesOf(service, 'Custom::S3Addresses');
    expect(asking?.DependsOn).toEqual(expect.arrayContaining([expect.stringMatching(/S3AddressesRoleDefaultPolicy/)]));
    const [[, role] = []] = resourcesOf(service, 'AWS::IAM::Role').filter(([id]) => id.includes('S3Addresses'));
    expect(role?.Properties['ManagedPolicyArns']).toBeUndefined();
  });

  test('with the list as a setting nothing is asked', () => {
    const narrowed = synthesize({ 'analysis.s3PrefixList': 'pl-0123abcd' }).service;
    expect(egress(narrowed)).toEqual([
      expect.objectContaining({ DestinationPrefixListId: 'pl-0123abcd', FromPort: 443 }),
    ]);
    expect(resourcesOf(narrowed, 'Custom::S3Addresses')).toEqual([]);
    expect(Object.keys(narrowed.Resources).filter((id) => id.startsWith(askingFunction))).toEqual([]);
  });

  test.each([{}, { 'analysis.s3PrefixList': 'pl-0123abcd' }])(
    'no rule names an address of the whole world: %j',
    (settings) => {
      const template = synthesize(settings).service;
      const groups = resourcesOf(template, 'AWS::EC2::SecurityGroup');
      expect(groups.length).toBeGreaterThan(0);
      for (const [, { Properties }] of groups) expect(Properties['SecurityGroupEgress']).toBeDefined();
      const rules = Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::EC2::SecurityGroup'));
      expect(JSON.stringify(rules)).not.toMatch(/0\.0\.0\.0\/0|::\/0|"-1"/);
      expect(resourcesOf(template, 'AWS::EC2::SecurityGroupEgress')).toEqual([]);
    },
  );

  test('names other than S3’s are not answered', () => {
    const [[, group] = []] = resourcesOf(service, 'AWS::Route53Resolver::FirewallRuleGroup');
    expect(group?.Properties['FirewallRules']).toEqual([
      expect.objectContaining({ Action: 'ALLOW', Priority: 1 }),
      expect.objectContaining({ Action: 'BLOCK', BlockResponse: 'NXDOMAIN', Priority: 2 }),
    ]);
    const domains = resourcesOf(service, 'AWS::Route53Resolver::FirewallDomainList').map(
      ([, each]) => each.Properties['Domains'],
    );
    expect(domains).toContainEqual(['*']);
    expect(resourcesOf(service, 'AWS::Route53Resolver::FirewallRuleGroupAssociation')).toHaveLength(1);
  });

  test('is off by setting, for platforms that have none of it', () => {
    const without = synthesize({ 'features.engineNetwork': false }).service;
    expect(resourcesOf(without, 'AWS::EC2::VPC')).toEqual([]);
    expect(JSON.stringify(without)).toContain('analysis-engine');
  });

  test('has the memory and the scratch disk of its settings', () => {
    const { service: sized } = synthesize({ 'analysis.memoryMiB': 3008, 'analysis.scratchMiB': 4096 });
    const [, engine] =
      resourcesOf(sized, 'AWS::Lambda::Function').find(
        ([, { Properties }]) => Properties['FunctionName'] === 'claimcheck-analysis-engine',
      ) ?? [];
    expect(engine?.Properties).toMatchObject({ MemorySize: 3008, EphemeralStorage: { Size: 4096 } });
  });

  test('no analysis, no engine', () => {
    const without = synthesize({ 'analysis.enabled': false }).service;
    expect(JSON.stringify(without)).not.toContain('analysis-engine');
  });
});

describe('Python', () => {
  const broker = (stack: typeof service) =>
    resourcesOf(stack, 'AWS::Lambda::Function').find(
      ([, { Properties }]) => Properties['FunctionName'] === 'claimcheck-analyze-result',
    )?.[1].Properties;

  test('is off: no variable, no right', () => {
    expect(JSON.stringify(service)).not.toMatch(/bedrock-agentcore|CLAIMCHECK_PYTHON/);
  });

  const { service: on, stacks } = synthesize({ 'analysis.pythonInterpreter': 'aws.codeinterpreter.v1' });

  test('on, call-model is told too, since it is what offers the argument; nobody else is', () => {
    const told = resourcesOf(on, 'AWS::Lambda::Function').filter(([, each]) =>
      JSON.stringify(each.Properties['Environment'] ?? {}).includes('CLAIMCHECK_PYTHON'),
    );
    expect(told.map(([, { Properties }]) => Properties['FunctionName']).sort()).toEqual([
      'claimcheck-analyze-result',
      'claimcheck-call-model',
    ]);
  });

  test('on, the broker’s bundle holds the client for it and is still within 1 MiB', () => {
    const source = stacks.service.functions['analyze-result']?.source;
    const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-python-bundle-'));
    try {
      buildBundle(source as BundleSource, folder);
      const text = readFileSync(path.join(folder, 'index.mjs'), 'utf8');
      const bytes = readdirSync(folder)
        .filter((file) => file.endsWith('.mjs'))
        .reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
      process.stdout.write(`analyze-result with Python: ${bytes} bytes\n`);
      expect(bytes).toBeLessThan(1024 * 1024);
      expect(text.includes('StartCodeInterpreterSession')).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('on, the broker may use the one interpreter that is named', () => {
    expect(broker(on)).toMatchObject({
      Environment: { Variables: { CLAIMCHECK_PYTHON: 'aws.codeinterpreter.v1' } },
    });
    const statements = resourcesOf(on, 'AWS::IAM::Policy').flatMap(
      ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement,
    );
    const allowed = statements.filter((each) => JSON.stringify(each['Action']).includes('bedrock-agentcore'));
    expect(allowed).toHaveLength(1);
    expect(JSON.stringify(allowed[0]?.['Resource'])).toContain(':aws:code-interpreter/aws.codeinterpreter.v1');
  });
});

describe.each([
  ['arm64', 183],
  ['x64', 62],
] as const)('the bundle for %s', (processor, machine) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-engine-bundle-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('fits Lambda’s 250 MB, and its native code is for that processor', () => {
    buildBundle(engineSource(processor), folder);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    process.stdout.write(
      `analysis-engine ${processor}: ${Math.round(bytes / 1024 ** 2)} MiB in ${files.length} files\n`,
    );
    expect(bytes).toBeLessThan(250_000_000);
    const native = files.filter((file) => /\.(node|so)$/.test(file));
    expect(native.length).toBeGreaterThanOrEqual(3);
    for (const file of native) expect(readFileSync(file).readUInt16LE(18)).toBe(machine);
    for (const name of [
      'index.mjs',
      'sql-child.cjs',
      'any-rows.cjs',
      'script-worker.mjs',
      'chart-child.mjs',
      'emscripten-module.wasm',
      'DejaVuSans.ttf',
    ]) {
      expect(files).toContain(path.join(folder, name));
    }
  });
});
