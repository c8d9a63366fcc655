import type { Model, ModelReply, ModelRequest, ModelSettings } from '../model/model.ts';
import { checkedModel, currentReads } from '../read/checked-model.ts';
import type { Outcomes, ToolOutcome } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { guardedModel } from './guarded-model.ts';
import { type Anchor, prefixDigest } from './prefix-digest.ts';
import type { Replacements } from './replacements.ts';
import { type RunPutAwayPorts, runPutAway } from './run-put-away.ts';

export interface GuardedConversePorts extends Omit<RunPutAwayPorts, 'outcomes' | 'settings'> {
  readonly outcomes: Outcomes;
  readonly replacements: Replacements;
  readonly modelSettings: (agent: string) => ModelSettings;
  readonly settings: Settings;
  readonly telemetry: Telemetry;
}

/** Where in a run a model is called. */
export interface CallPlace {
  readonly run: Run;
  readonly agent: string;
  readonly turn: number;
}

/**
 * A run's model calls under the guard: what it needs to know between invocations (replacements, the provider's last
 * count) is kept in the run. Throws as `GuardedModel.converse` does.
 */
export function guardedConverse(
  model: Model,
  ports: GuardedConversePorts,
): (request: ModelRequest, place: CallPlace) => Promise<ModelReply> {
  return async (request, { run, agent, turn }) => {
    const [calls, anchors] = await Promise.all([
      ports.outcomes.list<ToolOutcome>(run.runId, 'tool/'),
      ports.outcomes.list<Anchor & { readonly agent: string }>(run.runId, 'anchor/'),
    ]);
    const reads = currentReads(
      request.messages,
      calls.map(({ outcome }) => outcome),
    );
    const replacements = () => ports.replacements.all(run.runId);
    const guarded = guardedModel(checkedModel(model, reads, { replacements, telemetry: ports.telemetry }), ports);
    const { reply, sent, inputTokens } = await guarded.converse(request, {
      runId: run.runId,
      turn,
      windowTokens: ports.modelSettings(agent).windowTokens,
      anchor: anchors.findLast(({ outcome }) => outcome.agent === agent)?.outcome,
      putAway: runPutAway(run, calls.map(withPlace), ports),
    });
    if (inputTokens > 0) {
      const messages = sent.messages.length;
      await ports.outcomes.record(run.runId, `anchor/${turn}`, {
        agent,
        messages,
        digest: prefixDigest(sent, messages),
        tokens: inputTokens,
      });
    }
    return reply;
  };
}

function withPlace({ key, outcome }: { readonly key: string; readonly outcome: ToolOutcome }) {
  const [, turn, index] = key.split('/');
  return { turn: Number(turn), index: Number(index), outcome };
}
