import { App } from 'aws-cdk-lib';
import { loadConfig } from '../../lib/config.ts';
import { FoundationStack } from '../../lib/foundation-stack.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { builtinTools, deployedTools } from '../../tools/catalogue.ts';

/** A function whose cold start is measured: what its bundle is made from, and variables that let it be imported. */
export interface MeasuredFunction {
  readonly name: string;
  readonly source: { readonly entry: string };
  readonly variables: Readonly<Record<string, string>>;
}

/** Every function of the app but the engine, whose size is its database's. */
export function functionsOf(): readonly MeasuredFunction[] {
  process.env['CDK_VALIDATION'] = 'false';
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  const config = loadConfig({});
  const { stateful } = new FoundationStack(app, 'Foundation', { config });
  const service = new ServiceStack(app, 'Service', { config, stateful, tools: deployedTools, builtins: builtinTools });
  const variables = {
    CLAIMCHECK_NAME: 'claimcheck',
    CLAIMCHECK_SETTINGS: '{}',
    ...Object.fromEntries(
      ['BUCKET', 'RUNS', 'CATALOG', 'CHATS', 'SESSIONS'].map((name) => [`CLAIMCHECK_${name}`, 'x']),
    ),
    CLAIMCHECK_BASE_URL: 'https://check.example',
    CLAIMCHECK_TOOLS: '{}',
    CLAIMCHECK_FLOWS: '{}',
    CLAIMCHECK_ENGINE: '{"engine":"x"}',
    CLAIMCHECK_SECRET: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:x',
    CLAIMCHECK_IDENTITY: JSON.stringify(identity),
    CLAIMCHECK_MODELS: JSON.stringify(config.models),
    CLAIMCHECK_EXAMPLE_RECORDS: '10',
    CLAIMCHECK_EXAMPLE_SEED: '1',
  };
  return Object.values(service.functions)
    .filter(({ name }) => name !== 'analysis-engine')
    .map(({ name, source }) => ({ name, source, variables }));
}

const identity = {
  kind: 'cognito',
  issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x',
  clientId: 'c',
  audience: 'c',
  jwksUri: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x/.well-known/jwks.json',
  authorizeUrl: 'https://x.example/authorize',
  tokenUrl: 'https://x.example/token',
  userPoolId: 'eu-central-1_x',
  scopes: 'openid',
  roles: 'cognito',
  caseSensitive: false,
};
