import { ClaimcheckError } from '../errors.ts';
import type { HttpResponse } from './response.ts';

/**
 * Bytes that a function may answer: Lambda's 6,291,556 count the whole answer as JSON, so a body counts with its
 * escapes, or in base64 (case H074). The rest is room for what the runtime adds.
 */
export const maxAnswerBytes = 6_291_556 - 4_096;

/** The response, or `SelectionTooLarge` where Lambda would drop it and the gateway would say a bare 500. */
export function sendableAnswer(response: HttpResponse): HttpResponse {
  // Escapes make six bytes of one at most: what is shorter cannot be too long.
  if (response.body.length * 6 < maxAnswerBytes) return response;
  const bytes = Buffer.byteLength(JSON.stringify(response), 'utf8');
  if (bytes <= maxAnswerBytes) return response;
  throw new ClaimcheckError(
    'SelectionTooLarge',
    `This answer would have ${bytes} bytes; at most ${maxAnswerBytes} can be sent. Ask for less, or download the files.`,
    { bytes, maxBytes: maxAnswerBytes },
  );
}
