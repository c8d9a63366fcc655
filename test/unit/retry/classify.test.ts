import { backoffMs } from '../../../core/retry/backoff.ts';
import { classifyFailure, type InvocationFailure, isRetryable } from '../../../core/retry/classify.ts';

const failure = (change: Partial<InvocationFailure>): InvocationFailure => ({
  name: 'Error',
  message: '',
  byFunction: false,
  ...change,
});

const exited = (how: string) =>
  `RequestId: 8f507cfc-xmpl-4697-b07a-ac58fc914c95 Error: Runtime exited with error: ${how}`;

it.each<[string, Partial<InvocationFailure>, string, boolean]>([
  ['throttled by Lambda', { name: 'TooManyRequestsException', status: 429 }, 'throttled', true],
  ['throttled behind the tool', { name: 'ThrottlingException', byFunction: true }, 'throttled', true],
  ['client time-out', { name: 'TimeoutError' }, 'timeout', true],
  ['function time-out', { name: 'Sandbox.Timedout', byFunction: true }, 'timeout', true],
  [
    'function time-out in words',
    { name: 'Unhandled', message: 'Task timed out after 3.00 seconds', byFunction: true },
    'timeout',
    true,
  ],
  ['killed', { name: 'Runtime.ExitError', message: exited('signal: killed'), byFunction: true }, 'killed', true],
  [
    'out of memory as Node says it',
    { name: 'Runtime.ExitError', message: exited('signal: aborted'), byFunction: true },
    'killed',
    true,
  ],
  [
    'out of memory by its name',
    { name: 'Runtime.OutOfMemory', message: exited('signal: killed'), byFunction: true },
    'killed',
    true,
  ],
  [
    'crashed',
    { name: 'Runtime.ExitError', message: exited('signal: segmentation fault'), byFunction: true },
    'killed',
    true,
  ],
  [
    'exited without a word',
    { name: 'Unhandled', message: 'RequestId: 8f50 Process exited before completing request', byFunction: true },
    'killed',
    true,
  ],
  ['ended in words', { name: 'Unhandled', message: exited('exit status 137'), byFunction: true }, 'killed', true],
  ['its extension crashed', { name: 'Extension.Crash', byFunction: true }, 'killed', true],
  [
    'a tool that speaks of such an end',
    { name: 'Error', message: 'Runtime exited with error: signal: killed', byFunction: true },
    'tool',
    false,
  ],
  [
    'a module that is missing',
    { name: 'Runtime.ImportModuleError', message: "Cannot find module 'x'", byFunction: true },
    'tool',
    false,
  ],
  [
    'an answer too large though its process ended',
    {
      name: 'Runtime.ExitError',
      message: 'Response payload size exceeded maximum allowed payload size',
      byFunction: true,
    },
    'oversize',
    false,
  ],
  [
    'time-out as Lambda words it now',
    { name: 'Sandbox.Timedout', message: 'RequestId: 8f50 Error: Task timed out after 3.00 seconds', byFunction: true },
    'timeout',
    true,
  ],
  ['not ready yet', { name: 'ResourceConflictException', status: 409 }, 'service', true],
  ['its snapshot is not ready', { name: 'SnapStartNotReadyException', status: 409 }, 'service', true],
  ['dropped connection', { name: 'Error', code: 'ECONNRESET' }, 'connection', true],
  ['hang up', { name: 'Error', message: 'socket hang up' }, 'connection', true],
  ['5xx', { name: 'ServiceException', status: 500 }, 'service', true],
  ['503', { name: 'Unknown', status: 503 }, 'service', true],
  ['answer too large', { name: 'Function.ResponseSizeTooLarge', byFunction: true }, 'oversize', false],
  [
    'answer too large in words',
    {
      name: 'Unhandled',
      message: 'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
      byFunction: true,
    },
    'oversize',
    false,
  ],
  ['request too large', { name: 'RequestTooLargeException', status: 413 }, 'oversize', false],
  ['bad input', { name: 'InvalidRequestContentException', status: 400 }, 'bad_input', false],
  ['no such function', { name: 'ResourceNotFoundException', status: 404 }, 'bad_input', false],
  ['not allowed', { name: 'AccessDeniedException', status: 403 }, 'bad_input', false],
  ['some other 4xx', { name: 'Whatever', status: 422 }, 'bad_input', false],
  ['the tool threw', { name: 'TypeError', message: 'x', byFunction: true }, 'tool', false],
  ['the tool threw with a 5xx in mind', { name: 'Error', message: 'status 503', byFunction: true }, 'tool', false],
])('%s', (_name, change, kind, retried) => {
  expect(classifyFailure(failure(change))).toBe(kind);
  expect(isRetryable(classifyFailure(failure(change)))).toBe(retried);
});

it('pauses grow to a cap, with full jitter', () => {
  const limits = { baseDelayMs: 200, maxDelayMs: 1_000 };
  expect([1, 2, 3, 4, 9].map((attempt) => backoffMs(attempt, limits, () => 0.999))).toEqual([199, 399, 799, 999, 999]);
  expect(backoffMs(5, limits, () => 0)).toBe(0);
});
