import * as z from 'zod/mini';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import type { ModelSettings } from '../../core/model/model.ts';
import { readResult } from '../../core/read/read-result.ts';
import { type AskingCall, requestRoom } from '../../core/read/request-room.ts';
import type { Run } from '../../core/run/run.ts';
import { tools } from '../../tools/catalogue.ts';
import { builtinHandler } from '../builtin-handler.ts';
import { readEnvironment } from '../environment.ts';
import { hexId, toolIndex, toolUseIdentity, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

/** The rest of the input is the reader's: the core checks each argument and refuses the unknown ones. */
const event = z.looseObject({ runId: hexId, turn: turnNumber, index: toolIndex, toolUseId: toolUseIdentity });

const { settings, bucket, runs, catalog } = readEnvironment(process.env, 'bucket', 'runs', 'catalog');
const models = process.env['CLAIMCHECK_MODELS'] === undefined ? {} : readEnvironment(process.env, 'models').models;
const documents = documentClient();
const s3 = s3Client();
const { runs: records, grants, outcomes } = runPorts(runTable(documents, runs, settings));
const catalogue = new DynamoCatalogue(documents, catalog);

/** A selection of one stored result that the run was granted, with coverage. */
export const handler = builtinHandler(
  'read-result',
  event,
  { runs: records, settings },
  async (parsed, run, telemetry) => {
    const { runId: _run, turn, index: _index, toolUseId: _use, ...input } = parsed;
    const store = new S3ResultStore(s3, bucket, telemetry);
    const answer = await readResult(run, input, { grants, catalogue, tools, store, settings }, await room(run, turn));
    const { coverage, delivered } = answer;
    telemetry.decision('result_read', {
      ref: delivered.ref,
      unit: coverage.unit,
      offset: coverage.offset,
      loaded: coverage.loaded,
      total: coverage.total,
      reasons: coverage.reasons.join(' '),
    });
    return { text: answer.text, delivered };
  },
);

/** What the asking call left free; not known before the model's count of it was recorded. */
async function room(run: Run, turn: number): Promise<number | null> {
  const call = await outcomes.find<AskingCall & { readonly agent: string }>(run.runId, `call/${turn}`);
  const model: ModelSettings | undefined = models[call?.agent ?? run.agent] ?? models['*'];
  return call?.usage === undefined || model === undefined ? null : requestRoom(call, model, settings);
}
