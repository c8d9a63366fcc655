import { ClaimcheckError } from '../errors.ts';
import type { Model, ModelReply, ModelRequest } from '../model/model.ts';
import { withCachePoints } from './cache-points.ts';
import { Guard, type GuardOptions, type GuardPlace } from './guard.ts';
import { isOverflow, isOverflowReply, isReasoningRefusal } from './overflow.ts';

export interface GuardedReply {
  readonly reply: ModelReply;
  /** The request that was answered, without cache points: what the model saw. */
  readonly sent: ModelRequest;
  /** The provider's own count of `sent`; 0 when it told none. */
  readonly inputTokens: number;
}

export interface GuardedModel {
  /**
   * One call that fits. Throws `ContextOverflow` when nothing (more) can be shrunk or the service says "too long"
   * twice, `ReasoningRefused` when it refuses reasoning blocks, and what the model throws otherwise.
   */
  converse(request: ModelRequest, place: GuardPlace): Promise<GuardedReply>;
}

/**
 * The guard around a model (DESIGN 8): fit, call, and on any known wording of "too long" take more out and call once
 * more, with the same tools. Throttling and "max tokens" are the caller's.
 */
export function guardedModel(model: Model, options: GuardOptions, guard = new Guard(options)): GuardedModel {
  return {
    converse: async (request, place) => {
      const first = await guard.fit(request, place);
      const reply = await attempt(model, first.request);
      if (reply !== 'overflow') return answered(guard, reply, first.request);
      options.telemetry.count('OverflowRetry');
      options.telemetry.decision('overflow_retry', { turn: place.turn, estimate: first.estimate });
      const second = await guard.fitAfterOverflow(request, first, place);
      const again = await attempt(model, second.request);
      if (again !== 'overflow') return answered(guard, again, second.request);
      throw new ClaimcheckError(
        'ContextOverflow',
        'request: the model says twice that it is too long, also after results were taken out',
        { estimate: second.estimate },
      );
    },
  };
}

async function attempt(model: Model, request: ModelRequest): Promise<ModelReply | 'overflow'> {
  try {
    const reply = await model.converse(withCachePoints(request));
    return isOverflowReply(reply) ? 'overflow' : reply;
  } catch (error) {
    if (isOverflow(error)) return 'overflow';
    if (isReasoningRefusal(error)) {
      // The service's own words may quote the request: they stay in the cause.
      throw new ClaimcheckError(
        'ReasoningRefused',
        'model: the service refused the reasoning blocks',
        {},
        { cause: error },
      );
    }
    throw error;
  }
}

function answered(guard: Guard, reply: ModelReply, sent: ModelRequest): GuardedReply {
  const { inputTokens, cacheReadInputTokens, cacheWriteInputTokens } = reply.usage;
  const total = inputTokens + cacheReadInputTokens + cacheWriteInputTokens;
  guard.counted(sent, total);
  return { reply, sent, inputTokens: total };
}
