import { s3Client } from '../../aws/clients.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { storeFromTool } from '../../aws/tool-wrapper.ts';
import { readEnvironment } from '../../lambdas/environment.ts';
import { toolHandler } from '../../lambdas/tool-handler.ts';
import { exampleData } from '../example-data.ts';
import { statusReport } from './report.ts';

// biome-ignore-start lint/style/noProcessEnv: a function's own entry point reads its environment once.
const data = exampleData(process.env);
const { bucket, settings } = readEnvironment(process.env, 'bucket');
// biome-ignore-end lint/style/noProcessEnv: see above
const s3 = s3Client();

/** The report leaves this function into the store, never through the answer: it is larger than an answer may be. */
export const handler = toolHandler('tool-service-status', (event, telemetry) =>
  storeFromTool(event.context, () => statusReport(data), {
    store: new S3ResultStore(s3, bucket, telemetry),
    transportBytes: settings.transport.maxBytes,
    maxBytes: settings.storage.maxBytes,
    contentType: 'application/json',
    fileName: 'service-status.json',
  }),
);
