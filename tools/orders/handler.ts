import { s3Client } from '../../aws/clients.ts';
import { exportFromTool } from '../../aws/export-from-tool.ts';
import { S3ExportStore } from '../../aws/s3-export-store.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import type { WrapperAnswer } from '../../aws/tool-wrapper.ts';
import { readInput } from '../../core/input/read-input.ts';
import type { ToolEvent } from '../../core/tool/tool-definition.ts';
import { readEnvironment } from '../../lambdas/environment.ts';
import { toolHandler } from '../../lambdas/tool-handler.ts';
import { connect, connectionSettings, secretReader } from './connection.ts';
import { ordersInput } from './query.ts';
import { orderRows } from './rows.ts';

// biome-ignore-start lint/style/noProcessEnv: a function's own entry point reads its environment once.
const variables = { ...process.env };
const { bucket, settings } = readEnvironment(process.env, 'bucket');
// biome-ignore-end lint/style/noProcessEnv: see above
const s3 = s3Client();
const bodies = new S3ResultStore(s3, bucket);
const csvFiles = new S3ExportStore(s3, bucket);
const readSecret = secretReader();

/** Orders straight from a database cursor into the two files; no more than one batch of rows is ever held here. */
export const handler = toolHandler('tool-list-orders', async (event: ToolEvent): Promise<WrapperAnswer> => {
  const input = readInput(ordersInput, event.input, 'input');
  if (!input.success) return { status: 'error', content: [{ text: `list_orders: ${input.error.message}` }] };
  const client = await connect(await connectionSettings(variables, readSecret));
  try {
    return await exportFromTool(event.context, orderRows(client, input.data), {
      bodies,
      exports: csvFiles,
      inlineBytes: settings.insert.maxBytes,
      maxBytes: settings.storage.maxBytes,
      fileName: 'orders',
      byteOrderMark: variables['CLAIMCHECK_EXPORT_BYTE_ORDER_MARK'] !== 'false',
    });
  } finally {
    await client.end();
  }
});
