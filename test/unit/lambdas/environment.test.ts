import { defaultSettings } from '../../../core/settings.ts';
import { mergedSettings, modelSettingsOf, readEnvironment } from '../../../lambdas/environment.ts';

it('gives what was asked for, parsed, and the settings over their defaults', () => {
  const environment = readEnvironment(
    {
      CLAIMCHECK_BUCKET: 'bucket',
      CLAIMCHECK_BASE_URL: 'https://check.example/',
      CLAIMCHECK_TOOLS: '{"rows":"claimcheck-tool-rows"}',
      CLAIMCHECK_SETTINGS: '{"run":{"maxTurns":3}}',
    },
    'bucket',
    'baseUrl',
    'tools',
  );
  expect(environment).toMatchObject({
    name: 'claimcheck',
    bucket: 'bucket',
    baseUrl: 'https://check.example',
    tools: { rows: 'claimcheck-tool-rows' },
  });
  expect(environment.settings.run).toEqual({ ...defaultSettings.run, maxTurns: 3 });
  expect(defaultSettings.run.maxTurns).toBe(12);
});

it.each([
  ['a missing name', {}, /^CLAIMCHECK_BUCKET: /],
  [
    'a JSON text that is none',
    { CLAIMCHECK_BUCKET: 'b', CLAIMCHECK_TOOLS: '{secret' },
    /^CLAIMCHECK_TOOLS: expected JSON$/,
  ],
  ['a name that is empty', { CLAIMCHECK_BUCKET: '' }, /^CLAIMCHECK_BUCKET: text expected; it is required$/],
  [
    'a list instead of names',
    { CLAIMCHECK_BUCKET: 'b', CLAIMCHECK_TOOLS: '[]' },
    /^CLAIMCHECK_TOOLS: an object of names/,
  ],
  [
    'a name without its text',
    { CLAIMCHECK_BUCKET: 'b', CLAIMCHECK_TOOLS: '{"a":""}' },
    /^CLAIMCHECK_TOOLS: an object of names, each with text expected$/,
  ],
  ['a wrong shape', { CLAIMCHECK_BUCKET: 'b', CLAIMCHECK_TOOLS: '["secret"]' }, /^CLAIMCHECK_TOOLS: /],
])('%s stops the start and is named without its value', (_name, source, expected) => {
  const start = () => readEnvironment(source, 'bucket', 'tools');
  expect(start).toThrow(expected);
  expect(start).not.toThrow(/secret/);
});

it.each([
  '{"run":{"maxTurn":3}}',
  '{"walk":{"maxTurns":3}}',
  '{"run":{"maxTurns":"3"}}',
  '{"run":{"maxTurns":-1}}',
  '{"__proto__":{"a":1},"constructor":{"b":1}}',
])('settings that do not exist or are no numbers are refused: %s', (text) => {
  expect(() => mergedSettings(text)).toThrow();
});

it.each([
  ['CLAIMCHECK_BASE_URL', 'baseUrl', 'secret', /^CLAIMCHECK_BASE_URL: an address \(URL\) expected$/],
  [
    'CLAIMCHECK_ENGINE',
    'engine',
    '{}',
    /^CLAIMCHECK_ENGINE: engine: text of at least 1 character expected; it is required$/,
  ],
  [
    'CLAIMCHECK_MODELS',
    'models',
    '{"*":{"modelId":"m"}}',
    /^CLAIMCHECK_MODELS: \*\.windowTokens: a whole number at least 1 /,
  ],
  [
    'CLAIMCHECK_IDENTITY',
    'identity',
    '{"kind":"secret"}',
    /^CLAIMCHECK_IDENTITY: kind: one of cognito, oidc expected; /,
  ],
] as const)('%s names the member and what was expected', (variable, key, value, expected) => {
  const start = () => readEnvironment({ [variable]: value }, key);
  expect(start).toThrow(expected);
  expect(start).not.toThrow(/secret/);
});

it('an agent has its own model or the common one', () => {
  const model = { modelId: 'm', windowTokens: 1, maxTokens: 1, cachePoints: false };
  expect(modelSettingsOf({ '*': model, writer: { ...model, modelId: 'w' } }, 'writer').modelId).toBe('w');
  expect(modelSettingsOf({ '*': model }, 'constructor').modelId).toBe('m');
  expect(() => modelSettingsOf({}, 'writer')).toThrow(/CLAIMCHECK_MODELS/);
});
