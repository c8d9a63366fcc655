/** What kind of failure ended one execution of a tool. */
export type FailureKind = 'throttled' | 'timeout' | 'connection' | 'service' | 'oversize' | 'bad_input' | 'tool';

/** What is known of a failed invocation: names and codes as the service or the function gave them. */
export interface InvocationFailure {
  /** Exception name of the service or client, or `errorType` of the function. */
  readonly name: string;
  readonly message: string;
  /** HTTP status of the service's answer. */
  readonly status?: number | undefined;
  /** Code of a socket error. */
  readonly code?: string | undefined;
  /** The function itself ended with an error, as opposed to the service that invokes it. */
  readonly byFunction: boolean;
}

const throttles = new Set([
  'TooManyRequestsException',
  'ThrottlingException',
  'Throttling',
  'ThrottledException',
  'RequestLimitExceeded',
  'ProvisionedThroughputExceededException',
  'EC2ThrottledException',
  'SlowDown',
]);
const timeouts = new Set([
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
  'Sandbox.Timedout',
  'Function.TimedOut',
]);
const oversizes = new Set(['Function.ResponseSizeTooLarge', 'RequestTooLargeException', 'RequestEntityTooLarge']);
const sockets = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'UND_ERR_SOCKET',
]);
const badInputs = new Set([
  'InvalidParameterValueException',
  'InvalidRequestContentException',
  'ResourceNotFoundException',
  'AccessDeniedException',
]);

/**
 * The table of DESIGN 9. Order matters: an answer too large is an oversize result though the service reports it as a
 * function error, and a time-out of the function is a time-out though its status is 200.
 */
export function classifyFailure(failure: InvocationFailure): FailureKind {
  const { name, message, status, code } = failure;
  if (oversizes.has(name) || status === 413 || /response payload size exceeded/i.test(message)) return 'oversize';
  if (throttles.has(name) || status === 429) return 'throttled';
  if (timeouts.has(name) || code === 'ETIMEDOUT' || /task timed out after/i.test(message)) return 'timeout';
  if ((code !== undefined && sockets.has(code)) || sockets.has(name) || /socket hang up/i.test(message)) {
    return 'connection';
  }
  if (failure.byFunction) return 'tool';
  if (badInputs.has(name)) return 'bad_input';
  if (status !== undefined && status >= 500) return 'service';
  return status !== undefined && status >= 400 ? 'bad_input' : 'service';
}

/** May an idempotent tool be executed again after this? An oversize result, bad input and a tool's own error: no. */
export function isRetryable(kind: FailureKind): boolean {
  return kind === 'throttled' || kind === 'timeout' || kind === 'connection' || kind === 'service';
}
