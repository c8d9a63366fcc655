import { s3Client } from '../../aws/clients.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { storeFromTool, type WrapperAnswer } from '../../aws/tool-wrapper.ts';
import type { ToolEvent } from '../../core/tool/tool-definition.ts';
import { readEnvironment } from '../../lambdas/environment.ts';
import { exampleData } from '../example-data.ts';
import { statusReport } from './report.ts';

// biome-ignore-start lint/style/noProcessEnv: a function's own entry point reads its environment once.
const data = exampleData(process.env);
const { bucket, settings } = readEnvironment(process.env, 'bucket');
// biome-ignore-end lint/style/noProcessEnv: see above
const store = new S3ResultStore(s3Client(), bucket);

/** The report leaves this function into the store, never through the answer: it is larger than an answer may be. */
export function handler(event: ToolEvent): Promise<WrapperAnswer> {
  return storeFromTool(event.context, () => statusReport(data), {
    store,
    transportBytes: settings.transport.maxBytes,
    maxBytes: settings.storage.maxBytes,
    contentType: 'application/json',
    fileName: 'service-status.json',
  });
}
