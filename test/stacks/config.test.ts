import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { defaultSettings } from '../../core/settings.ts';
import type { ToolDefinition } from '../../core/tool/tool-definition.ts';
import { mergedSettings } from '../../lambdas/environment.ts';
import { projectRoot } from '../../lib/bundling.ts';
import { ConfigError, configSchema, loadConfig } from '../../lib/config.ts';
import { settingsVariable } from '../../lib/environment.ts';
import { FoundationStack } from '../../lib/foundation-stack.ts';
import { ServiceStack, type ToolDeployment } from '../../lib/service-stack.ts';
import { settingsTable } from '../../lib/setting.ts';
import { checkDeployments, checkTools, runToolSeconds } from '../../lib/tool-rules.ts';
import { builtinTools, deployedTools } from '../../tools/catalogue.ts';
import { synthesize } from './synthesis.ts';

const refusal = (context: Record<string, unknown>) => {
  try {
    loadConfig(context);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
};

test('without context, the limits are the defaults of the core', () => {
  expect(loadConfig({})).toMatchObject(JSON.parse(JSON.stringify(defaultSettings)));
  expect(settingsVariable(loadConfig({}))).toBe('{}');
});

test('single fields come as text and win over the object', () => {
  const config = loadConfig({
    claimcheck: { storage: { retentionDays: 7, maxBytes: 2048 }, name: 'demo' },
    'claimcheck.storage.retentionDays': '14',
    'claimcheck.features.flowLogs': 'false',
    'claimcheck.api.customId': '12345678',
    'claimcheck.flows.trusted': '["arn:aws:iam::111122223333:role/orders-flow"]',
    unrelated: 'context',
  });
  expect(config.storage).toMatchObject({ retentionDays: 14, maxBytes: 2048 });
  expect(config).toMatchObject({
    name: 'demo',
    features: { flowLogs: false },
    api: { customId: '12345678' },
    flows: { trusted: ['arn:aws:iam::111122223333:role/orders-flow'] },
  });
});

test('what functions are told is what they read', () => {
  const config = loadConfig({ 'claimcheck.read.maxRecords': '77', 'claimcheck.run.maxTurns': '5' });
  expect(JSON.parse(settingsVariable(config))).toEqual({ read: { maxRecords: 77 }, run: { maxTurns: 5 } });
  expect(mergedSettings(settingsVariable(config)).read).toEqual({ ...defaultSettings.read, maxRecords: 77 });
});

test.each([
  [{ 'claimcheck.storage.retentionDays': '31' }, 'claimcheck.storage.retentionDays: 31 days is more than'],
  [{ 'claimcheck.storage.retentionDays': 'a month' }, 'claimcheck.storage.retentionDays:'],
  [{ 'claimcheck.storage.retentionDays': '1.5' }, 'claimcheck.storage.retentionDays:'],
  [{ 'claimcheck.storage.retentionDay': '3' }, 'retentionDay'],
  [{ claimcheck: 'text' }, 'claimcheck:'],
  [{ claimcheck: [1] }, 'claimcheck:'],
  [{ 'claimcheck.publicBaseUrl': 'results.example.org' }, 'claimcheck.publicBaseUrl: expected http(s) address'],
  [{ 'claimcheck.api.customId': 'ABCDEF01' }, 'claimcheck.api.customId: expected 8 hex digits'],
  [{ 'claimcheck.flows.trusted': '["*"]' }, 'claimcheck.flows.trusted.0: expected a role or user ARN'],
  [{ 'claimcheck.flows.trusted': 'everyone' }, 'claimcheck.flows.trusted:'],
  [
    { 'claimcheck.run.maxTurns': '100', 'claimcheck.run.maxToolsPerTurn': '16' },
    'claimcheck.run.maxTurns: with 16 tools',
  ],
  [{ 'claimcheck.guard.lowShare': '0.9' }, 'claimcheck.guard.lowShare: must be below'],
  [
    { 'claimcheck.analysis.keepMaxBytes': '536870912', 'claimcheck.analysis.scratchMiB': '1023' },
    'claimcheck.analysis.keepMaxBytes: is more than half of analysis.scratchMiB (1023)',
  ],
  [{ 'claimcheck.download.urlSeconds': '3600' }, 'claimcheck.download.urlSeconds:'],
  [{ 'claimcheck.transport.stateMaxBytes': '262144' }, 'claimcheck.transport.stateMaxBytes:'],
  [{ 'claimcheck.models': '{}' }, 'claimcheck.models: needs an entry *'],
  [{ 'claimcheck.identity.kind': 'oidc' }, 'claimcheck.identity.issuer: is required'],
  [{ 'claimcheck.identity.rolesSource': 'table' }, 'claimcheck.identity.rolesTableArn: is required'],
  [{ 'claimcheck.name': 'A' }, 'claimcheck.name: expected'],
  [{ 'claimcheck.__proto__.polluted': 'yes' }, 'claimcheck'],
])('synthesis refuses %j', (context, message) => {
  expect(refusal(context)).toContain(message);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('the refusal is synthesis’s own, and names every field at once', () => {
  expect(() => synthesize({ 'storage.retentionDays': 45, 'guard.lowShare': 0.9 })).toThrow(
    /storage\.retentionDays.*\n.*guard\.lowShare/,
  );
});

test('every setting has a unit and a sentence, and docs/settings.md lists exactly them', () => {
  const rows = settingsTable(configSchema);
  for (const row of rows) expect({ ...row, ok: row.unit !== '' && row.says !== '' }).toMatchObject({ ok: true });
  const page = readFileSync(path.join(projectRoot, 'docs/settings.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([\w.]+)` +\| (.*?) +\| `?(.*?)`? +\|/gm)].map(([, name, unit, standard]) => ({
    name,
    unit: unit?.replaceAll('\\|', '|'),
    standard,
  }));
  expect(listed).toEqual(rows.map(({ path: name, unit, standard }) => ({ name, unit, standard })));
});

describe('tools', () => {
  const config = loadConfig({});
  const [first] = deployedTools;
  const tool = (changes: object) => [{ ...first?.definition, ...changes } as ToolDefinition];

  test.each([
    [{ budgetBytes: undefined }, 'budgetBytes is required'],
    [{ budgetBytes: 10 ** 6 }, 'budgetBytes is 1000000, more than insert.maxBytes'],
    [{ roles: undefined }, 'roles is required'],
    [{ retry: undefined }, 'retry must be idempotent or once'],
    [{ retry: 'always' }, 'retry must be idempotent or once'],
    [{ timeoutMs: undefined }, 'timeoutMs is required'],
    [{ timeoutMs: 600_000 }, "take longer than Lambda's 900 s"],
    [{ name: 'Bad-Name' }, 'name must match'],
    [{ version: '' }, 'version is required'],
    [{ description: ' ' }, 'description is required'],
    [{ inputSchema: { type: 'array' } }, 'inputSchema must be a JSON Schema of type object'],
    [{ intake: 'both' }, 'intake must be wrapper or answer'],
    [{ intake: 'answer', exports: true }, 'exports needs the intake wrapper'],
    [{ population: undefined }, 'population must be finite or open'],
    [{ summary: 'rows' as never }, 'summary must be one of records_and_profile, records, profile'],
    [{ roles: ['reader', 7] }, 'roles is required: names of roles'],
    [{ storageMaxBytes: 0 }, 'storageMaxBytes must be a number of bytes'],
    [{ storageMaxBytes: 6 * 1024 ** 3 }, 'more than storage.maxBytes'],
    [{ reuse: {} }, 'reuse must have maxAgeSeconds'],
    [{ reuse: { maxAgeSeconds: 60 }, retry: 'once' }, 'reuse is for tools without side effects'],
    [{ view: { reader: 'id' } }, 'view must list the fields that each role keeps'],
    [{ view: {} }, 'view names no role'],
    [{ identity: {} }, 'identity must name the field'],
    [
      { identity: { field: 'id', expectedFrom: 'idz' } },
      'identity expectedFrom must name an argument of the tool, found "idz"',
    ],
  ])('synthesis refuses a tool with %j', (changes, message) => {
    const [made] = tool(changes) as [ToolDefinition];
    expect(() => checkTools([made], config)).toThrow(`tool ${made.name}: `);
    expect(() => checkTools([made], config)).toThrow(message);
  });

  test('all that is wrong with all tools is said at once, and the stack says it', () => {
    const { budgetBytes: _budget, roles: _roles, retry: _retry, ...bare } = (tool({}) as [ToolDefinition])[0];
    const deployment = (name: string) => ({ ...first, definition: { ...bare, name } }) as ToolDeployment;
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const { stateful } = new FoundationStack(app, 'Foundation', { config });
    const props = { config, stateful, tools: [deployment('one'), deployment('two')], builtins: builtinTools };
    const said = ['one', 'two'].flatMap((name) => [
      `tool ${name}: budgetBytes is required, in bytes`,
      `tool ${name}: roles is required: names of roles; an empty list admits nobody`,
      `tool ${name}: retry must be idempotent or once`,
    ]);
    expect(() => new ServiceStack(app, 'Service', props)).toThrow(said.join('\n'));
  });

  test('a tool’s function has the rights that its entry speaks of', () => {
    const [made] = tool({ intake: 'answer' }) as [ToolDefinition];
    expect(() => checkDeployments([{ definition: made, wrapper: true, entry: 'tool.ts' }])).toThrow(
      `tool ${made.name}: intake is answer, and it is deployed with wrapper true`,
    );
    expect(() => checkDeployments(deployedTools)).not.toThrow();
  });

  test('a name is used once', () => {
    expect(() => checkTools([...tool({}), ...tool({})], config)).toThrow('name is used twice');
  });

  test('run-tool outlasts every execution that its tools may take', () => {
    const seconds = runToolSeconds(tool({ timeoutMs: 100_000 }), config);
    expect(seconds).toBeGreaterThan((3 * 100_000 + config.storage.uploadTimeoutMs) / 1_000);
    expect(seconds).toBeLessThanOrEqual(900);
  });
});
