import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadConfig } from '../lib/config.ts';
import { FoundationStack } from '../lib/foundation-stack.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { builtinTools, deployedTools } from '../tools/catalogue.ts';

const app = new App();
const config = loadConfig(app.node.getAllContext() as Record<string, unknown>);
const foundation = new FoundationStack(app, 'Claimcheck-Foundation', {
  config,
  description: 'Claimcheck: what lasts',
});
new ServiceStack(app, 'Claimcheck-Service', {
  config,
  description: 'Claimcheck: functions, routes and flows',
  stateful: foundation.stateful,
  tools: deployedTools,
  builtins: builtinTools,
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
