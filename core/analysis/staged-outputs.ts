import { ClaimcheckError } from '../errors.ts';
import type { StreamedText } from '../hand-off/text-source.ts';
import { newId } from '../reference/reference.ts';
import type { Run } from '../run/run.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { EngineUpload, EngineUploads, UploadedOutput } from './engine.ts';
import type { Staging, StagingPlace } from './staging.ts';

export type OutputName = keyof EngineUploads;

/** Where the outputs of one attempt may be left, and what became of them. */
export interface StagedOutputs {
  /** For the engine; null where nothing may be left. */
  readonly uploads: EngineUploads | null;
  /**
   * What the engine says that it left, to be read. Throws `StorageUnavailable` when nothing stands there, or something
   * else than it said, and `AnalysisLimit` for more than it was allowed.
   */
  taken(name: OutputName, output: UploadedOutput): Promise<StreamedText>;
}

/** Nothing is left anywhere: all has to fit the answer. */
export const nothingStaged: StagedOutputs = {
  uploads: null,
  taken: async (name) => {
    throw new ClaimcheckError('AnalysisFailed', `${spoken[name]}: an upload that nobody asked for`);
  },
};

const spoken: Readonly<Record<OutputName, string>> = { answer: 'keep', picture: 'chart', drawing: 'chart' };
const contentTypes: Readonly<Record<OutputName, string>> = {
  answer: 'application/octet-stream',
  picture: 'image/png',
  drawing: 'image/svg+xml',
};

/** A place of its own for each output that may become too large, under ids that no earlier attempt has used. */
export async function stageOutputs(
  run: Pick<Run, 'owner'>,
  wanted: { readonly keep: boolean; readonly chart: boolean },
  { staging, telemetry }: { readonly staging: Staging; readonly telemetry: Telemetry },
  maxBytes: number,
): Promise<StagedOutputs> {
  const unavailable = (name: OutputName, what: string): ClaimcheckError => {
    telemetry.count('StorageRefusal');
    return new ClaimcheckError('StorageUnavailable', `${spoken[name]}: ${what}; try again`);
  };
  const missing = (name: OutputName) => unavailable(name, 'it did not arrive in the store');
  const places = new Map<OutputName, StagingPlace>();
  const upload = async (name: OutputName, may: boolean): Promise<EngineUpload | null> => {
    if (!may) return null;
    const place = { owner: run.owner, id: newId() };
    places.set(name, place);
    return staging.upload(place, contentTypes[name], maxBytes);
  };
  const uploads: EngineUploads = {
    answer: await upload('answer', wanted.keep),
    picture: await upload('picture', wanted.chart),
    drawing: await upload('drawing', wanted.chart),
  };
  return {
    uploads,
    taken: async (name, output) => {
      const place = places.get(name);
      if (place === undefined) return nothingStaged.taken(name, output) as Promise<never>;
      if (output.bytes > maxBytes) {
        throw new ClaimcheckError('AnalysisLimit', `${spoken[name]}: ${output.bytes} bytes, at most ${maxBytes}`);
      }
      const found = await staging.look(place);
      if (found === undefined) throw missing(name);
      if (found.bytes !== output.bytes) {
        throw unavailable(name, 'what arrived is not what was sent');
      }
      return {
        ...output,
        lines: false,
        open: async () => {
          const body = await staging.read(place, found.etag);
          if (body === undefined) throw missing(name);
          return body;
        },
      };
    },
  };
}
