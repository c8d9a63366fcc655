/** What kind of failure ended one execution of a tool. */
export type FailureKind =
  | 'throttled'
  | 'timeout'
  | 'connection'
  | 'killed'
  | 'service'
  | 'oversize'
  | 'bad_input'
  | 'tool';

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
/**
 * How Lambda reports a process that is gone: `FunctionError: Unhandled` with one of these as `errorType`. Out of memory
 * is `Runtime.ExitError` ("signal: killed") in some runtimes and has a name of its own in others, so it is no class apart.
 */
const ends = new Set(['Runtime.ExitError', 'Runtime.OutOfMemory', 'Extension.Crash']);
/** The same in Lambda's own words, where there is no `errorType`; they begin with the request's id, a tool's do not. */
const endInWords = /^RequestId: \S+ (?:Error: Runtime exited|Process exited before completing request)/;
/** Refusals below 500 of a function that is not ready yet: nothing was executed. */
const notReady = new Set([
  'ResourceConflictException',
  'SnapStartNotReadyException',
  'SnapStartTimeoutException',
  'EFSMountTimeoutException',
]);
const badInputs = new Set([
  'InvalidParameterValueException',
  'InvalidRequestContentException',
  'ResourceNotFoundException',
  'AccessDeniedException',
]);

/** One row of the table: which failures it is about, and whether an idempotent tool may be executed again after one. */
export interface RetryRule {
  readonly kind: FailureKind;
  readonly retryable: boolean;
  readonly matches: (failure: InvocationFailure) => boolean;
}

/**
 * The table of DESIGN 9; the first row that matches decides. Order matters: an answer too large is an oversize result
 * though the service reports it as a function error, and a time-out or an end of the function is one though its status
 * is 200 and it counts as the function's error.
 */
export const retryRules: readonly RetryRule[] = [
  {
    kind: 'oversize',
    retryable: false,
    matches: ({ name, message, status }) =>
      oversizes.has(name) || status === 413 || /response payload size exceeded/i.test(message),
  },
  { kind: 'throttled', retryable: true, matches: ({ name, status }) => throttles.has(name) || status === 429 },
  {
    kind: 'timeout',
    retryable: true,
    matches: ({ name, message, code }) =>
      timeouts.has(name) || code === 'ETIMEDOUT' || /task timed out after/i.test(message),
  },
  {
    kind: 'connection',
    retryable: true,
    matches: ({ name, message, code }) =>
      (code !== undefined && sockets.has(code)) || sockets.has(name) || /socket hang up/i.test(message),
  },
  {
    kind: 'killed',
    retryable: true,
    matches: ({ name, message, byFunction }) => byFunction && (ends.has(name) || endInWords.test(message)),
  },
  /** What the tool itself says about its failure is an answer, whatever number stands in it. */
  { kind: 'tool', retryable: false, matches: ({ byFunction }) => byFunction },
  { kind: 'bad_input', retryable: false, matches: ({ name }) => badInputs.has(name) },
  {
    kind: 'service',
    retryable: true,
    matches: ({ name, status }) => status === undefined || status >= 500 || notReady.has(name),
  },
  { kind: 'bad_input', retryable: false, matches: ({ status = 0 }) => status >= 400 },
  { kind: 'service', retryable: true, matches: () => true },
];

/** What kind of failure this is, by the first row of the table that matches. */
export function classifyFailure(failure: InvocationFailure): FailureKind {
  return (retryRules.find((rule) => rule.matches(failure)) as RetryRule).kind;
}

/** May an idempotent tool be executed again after this? An oversize result, bad input and a tool's own error: no. */
export function isRetryable(kind: FailureKind): boolean {
  return retryRules.some((rule) => rule.kind === kind && rule.retryable);
}
