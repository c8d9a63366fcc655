import { type ModelReply, ModelServiceError } from '../model/model.ts';

/** The reply's way of saying it, where the service does not raise an error. */
export const overflowStopReason = 'model_context_window_exceeded';

/**
 * Known wordings of "the request is too long", by service and model family (case H003). Each is about the input; a
 * word about output tokens alone, such as "the maximum tokens you requested exceeds the model limit", is not among
 * them.
 */
const wordings: readonly RegExp[] = [
  /input is too long/i,
  /prompt is too long/i,
  /input length and [`'"]?max_tokens[`'"]? exceed/i,
  /maximum context length/i,
  /too many total text bytes/i,
  /exceeds? (?:the )?(?:model'?s? )?(?:maximum )?context (?:length|window|limit)/i,
  /context (?:length|window) (?:is )?exceeded/i,
  /context_length_exceeded/i,
  /too many input tokens/i,
  /input tokens? (?:count )?exceeds?/i,
  /(?:number of )?input tokens .{0,40}exceed/i,
  /request (?:is )?too large for (?:the )?model/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /expected maxlength: \d+, actual: \d+/i,
];

/** Only a request that was found wrong can be too long: throttling speaks of tokens too. */
const services = [
  'ValidationException',
  'ModelErrorException',
  'ModelStreamErrorException',
  'validationException',
  'modelStreamErrorException',
];

/** Does the service say that the request does not fit the model's window? Stream errors included. */
export function isOverflow(error: unknown): boolean {
  return (
    error instanceof ModelServiceError &&
    services.includes(error.service) &&
    wordings.some((wording) => wording.test(error.message))
  );
}

export function isOverflowReply(reply: ModelReply): boolean {
  return reply.stopReason === overflowStopReason;
}

/**
 * Does the service refuse reasoning blocks that no longer match what stands before them? A class of its own (DESIGN
 * 5.1): shrinking more would not help.
 */
export function isReasoningRefusal(error: unknown): boolean {
  return (
    error instanceof ModelServiceError &&
    services.includes(error.service) &&
    /thinking|reasoning/i.test(error.message) &&
    /cannot be modified|must remain as they were|signature|expected [`'"]?(?:thinking|redacted_thinking)/i.test(
      error.message,
    )
  );
}
