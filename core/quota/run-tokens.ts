import { ClaimcheckError } from '../errors.ts';
import type { ModelReply } from '../model/model.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Input read or written by a cache counts like any other: the quota bounds the work asked for, not its price. */
export function tokensOf(usage: ModelReply['usage']): number {
  return (
    usage.inputTokens + usage.outputTokens + (usage.cacheReadInputTokens ?? 0) + (usage.cacheWriteInputTokens ?? 0)
  );
}

/**
 * Refuses the next model call of a run whose earlier calls, of all its agents, have used `maxTokens` tokens or more.
 * The call that crosses the line is answered: what it will use is not known before. Throws `QuotaExceeded`.
 */
export function checkRunTokens(
  calls: readonly { readonly usage?: ModelReply['usage'] }[],
  maxTokens: number,
  telemetry: Telemetry,
): void {
  const used = calls.reduce((sum, { usage }) => sum + (usage === undefined ? 0 : tokensOf(usage)), 0);
  if (used < maxTokens) return;
  telemetry.count('QuotaRefused', 1, { reason: 'tokens' });
  throw new ClaimcheckError('QuotaExceeded', `run: ${used} of ${maxTokens} tokens are used`, { used, maxTokens });
}
