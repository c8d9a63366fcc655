import type { z } from 'zod';
import { ClaimcheckError } from '../errors.ts';
import type { HttpRequest } from './request.ts';

/** UTF-8 bytes of a body: the longest message with every character escaped, and room for the rest. */
const maxBytes = 512 * 1024;

/**
 * The request's JSON body, of the right type and shape. The content type must say JSON: a form of another site cannot
 * send that without asking first. Throws `InvalidInput` that names paths, never values.
 */
export function bodyOf<T>(request: HttpRequest, schema: z.ZodType<T>): T {
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
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 5).map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? ` ${issue.keys.slice(0, 5).join(', ')}` : '';
    return `${issue.path.map(String).join('.') || 'body'}: ${issue.code.replaceAll('_', ' ')}${unknown}`;
  });
  throw new ClaimcheckError('InvalidInput', issues.join('; ').slice(0, 300));
}
