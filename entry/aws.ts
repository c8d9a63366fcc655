/** The stores on AWS, and the wrapper for a tool's own function. */
export { DynamoCatalogue } from '../aws/dynamo-catalogue.ts';
export { DynamoErasures } from '../aws/dynamo-erasures.ts';
export { jwtVerifier, type TokenRules } from '../aws/jwt-verifier.ts';
export { S3ResultStore } from '../aws/s3-result-store.ts';
export { documentClient, s3Client } from '../aws/store-clients.ts';
export { type StoringToolOptions, storingTool } from '../aws/storing-tool.ts';
export { storeFromTool, type WrapperAnswer, type WrapperOptions } from '../aws/tool-wrapper.ts';
export type { ToolContext, ToolEvent } from '../core/tool/tool-definition.ts';
