import { ClaimcheckError } from '../errors.ts';
import { readInput, type Schema } from '../input/read-input.ts';
import type { HttpRequest } from './request.ts';

/** UTF-8 bytes of a body: the longest message with every character escaped, and room for the rest. */
const maxBytes = 512 * 1024;

/**
 * The request's JSON body, of the right type and shape. The content type must say JSON: a form of another site cannot
 * send that without asking first. Throws `InvalidInput` that names fields and what was expected, never values.
 */
export function bodyOf<T>(request: HttpRequest, schema: Schema<T>): T {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new ClaimcheckError('InvalidInput', 'body: expected the content type application/json');
  }
  if (Buffer.byteLength(request.body, 'utf8') > maxBytes) {
    throw new ClaimcheckError('InvalidInput', `body: expected at most ${maxBytes} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    throw new ClaimcheckError('InvalidInput', 'body: expected JSON');
  }
  const parsed = readInput(schema, value, 'body');
  if (!parsed.success) throw parsed.error;
  return parsed.data;
}
