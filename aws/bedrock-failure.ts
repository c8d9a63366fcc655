import { ModelServiceError } from '../core/model/model.ts';

/** The service's exceptions that the same request may not meet again. */
const passing = new Set([
  'ThrottlingException',
  'ServiceUnavailableException',
  'InternalServerException',
  'ModelTimeoutException',
  'ModelNotReadyException',
  'ModelErrorException',
  'ModelStreamErrorException',
  'TimeoutError',
]);

/**
 * What the service, the connection or the SDK failed with, under one name. An exception that comes as an event of a
 * stream is named like the event (`validationException`) or has no status of its own: then its name alone decides.
 */
export function bedrockFailure(error: unknown): ModelServiceError {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const service = /^[a-z].*Exception$/.test(name) ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
  const status = $metadata?.httpStatusCode ?? 0;
  const refused = status >= 400 ? status !== 429 && status < 500 : service.endsWith('Exception');
  return new ModelServiceError(service, message, passing.has(service) || !refused, { cause: error });
}
