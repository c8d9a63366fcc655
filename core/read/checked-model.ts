import type { Message } from '../content/block.ts';
import { type Replacement, replacementBlocks } from '../guard/replacements.ts';
import type { Model } from '../model/model.ts';
import type { ToolOutcome } from '../run/outcomes.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type CurrentRead, checkRequest, deliveredRead } from './request-check.ts';

export interface CheckedModelPorts {
  /** The guard's replacements of this run: asked only when a selection is not in the request whole. */
  readonly replacements: () => Promise<readonly Replacement[]>;
  readonly telemetry: Telemetry;
}

/** The reads that the newest message answers: selections that the model has just asked for. */
export function currentReads(messages: readonly Message[], outcomes: readonly ToolOutcome[]): readonly CurrentRead[] {
  const asking = messages.findLast((message) => message.role === 'assistant');
  const asked = new Set(
    (asking?.content ?? []).flatMap((block) => ('toolUse' in block ? [block.toolUse.toolUseId] : [])),
  );
  // A model may use an id again: the newest outcome under it is the current one.
  const newest = new Map(outcomes.map((outcome) => [outcome.toolUseId, outcome]));
  return [...newest.values()].flatMap((outcome) => {
    const delivered = deliveredRead(outcome.delivered);
    const { toolUseId, content, status } = outcome;
    return delivered === undefined || status === 'error' || !asked.has(toolUseId)
      ? []
      : [{ toolUseId, content, delivered }];
  });
}

/**
 * The model behind the last look at a request (`checkRequest`): it stands after the guard and everything else that
 * puts requests together. What the guard itself has said to be undelivered may stand as the guard says it.
 */
export function checkedModel(model: Model, reads: readonly CurrentRead[], ports: CheckedModelPorts): Model {
  return {
    converse: async (request) => {
      if (checkRequest(request.messages, reads).lost.length === 0) return model.converse(request);
      const said = (await ports.replacements()).filter((replacement) => replacement.marker.kind === 'unfit');
      const known = reads.map((read) => ({
        ...read,
        stated: said.filter(({ toolUseId }) => toolUseId === read.toolUseId).map(replacementBlocks),
      }));
      const { messages, lost } = checkRequest(request.messages, known);
      if (lost.length === 0) return model.converse(request);
      ports.telemetry.decision('selection_lost', { lost: lost.length });
      return model.converse({ ...request, messages });
    },
  };
}
