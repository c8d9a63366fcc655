/** The constructs, for a CDK app of one's own. */
export type { ToolDefinition } from '../core/tool/tool-definition.ts';
export { type Config, ConfigError, loadConfig } from '../lib/config.ts';
export { Flow } from '../lib/flows/flow.ts';
export { FoundationStack } from '../lib/foundation-stack.ts';
export { Observability } from '../lib/observability.ts';
export { resultBucket } from '../lib/result-bucket.ts';
export { type BuiltinTool, ServiceStack, type ServiceStackProps, type ToolDeployment } from '../lib/service-stack.ts';
export type { Stateful } from '../lib/stateful.ts';
export { builtinTools } from '../tools/catalogue.ts';
