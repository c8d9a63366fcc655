import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { documentClient } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { secretText } from '../../aws/session-secret.ts';
import { listResults } from '../../core/catalogue/list-results.ts';
import { tools } from '../../tools/catalogue.ts';
import { builtinHandler } from '../builtin-handler.ts';
import { readEnvironment } from '../environment.ts';
import { hexId, toolIndex, toolUseIdentity, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

const event = z.strictObject({
  runId: hexId,
  turn: turnNumber,
  index: toolIndex,
  toolUseId: toolUseIdentity,
  tool: z.nullish(z.string().check(z.maxLength(100))),
  cursor: z.nullish(z.string().check(z.maxLength(4_096))),
});

const { settings, runs, catalog, secret } = readEnvironment(process.env, 'runs', 'catalog', 'secret');
const documents = documentClient();
const { runs: records, grants } = runPorts(runTable(documents, runs, settings));
const catalogue = new DynamoCatalogue(documents, catalog);
const sealing = secretText(new SecretsManagerClient({ maxAttempts: 3 }), secret);

/** What a run can read: existence, shape and dates, never content. */
export const handler = builtinHandler(
  'list-results',
  event,
  { runs: records, settings },
  async (parsed, run, telemetry) => {
    const list = await listResults(
      run,
      { tool: parsed.tool ?? undefined, cursor: parsed.cursor ?? undefined },
      { catalogue, grants, tools, settings, secret: Buffer.from(await sealing(), 'utf8') },
    );
    telemetry.decision('results_listed', { shown: list.shown, total: list.total });
    return { text: list.text };
  },
);
