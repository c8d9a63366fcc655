import { ClaimcheckError, type ErrorCode } from '../errors.ts';
import { type Page, page } from './page.ts';
import type { HttpRequest } from './request.ts';
import { type HttpResponse, json } from './response.ts';

/**
 * The one mapping of domain errors to HTTP. A malformed reference is the same 404 as an unknown one: it never
 * touched storage, and its shape is nobody's business.
 */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  AnalysisFailed: 422,
  AnalysisLimit: 422,
  BadReference: 404,
  ContextOverflow: 422,
  Expired: 410,
  Forbidden: 403,
  InvalidInput: 400,
  ModelRefused: 502,
  ModelUnavailable: 503,
  NotFound: 404,
  OversizeResult: 413,
  QuotaExceeded: 429,
  ReasoningRefused: 422,
  RoleRevoked: 403,
  RolesUnavailable: 503,
  SelectionTooLarge: 413,
  StorageUnavailable: 503,
  ToolFailed: 502,
  ToolUnavailable: 503,
  TurnLimit: 422,
  UnknownField: 400,
  UnknownTool: 404,
};

const notFound: Page = {
  title: 'Not found',
  words: ['There is nothing here for you. The address may be wrong, or it belongs to somebody else.'],
};

/** Titles for people; the words come from the error itself. */
const titles: Partial<Record<ErrorCode, string>> = {
  Expired: 'No longer available',
  RoleRevoked: 'No longer allowed',
  RolesUnavailable: 'Cannot check access right now',
  StorageUnavailable: 'Cannot reach the storage right now',
  Forbidden: 'Not allowed',
};

/**
 * The answer for an expected failure: a page for a browser, JSON for a program, the same status for both. `home` is the
 * console's address, which pages lead on to.
 */
export function refusal(error: ClaimcheckError, request: Pick<HttpRequest, 'wantsPage'>, home?: string): HttpResponse {
  const status = statusOf[error.code];
  const wayOn = home === undefined ? {} : { action: { href: `${home}/`, text: 'To your chats and results' } };
  const retry = error.retryable ? { 'retry-after': '5' } : {};
  if (status === 404) {
    // Everything that is not the caller's own reads alike, whatever the reason was.
    return request.wantsPage
      ? page(404, { ...notFound, ...wayOn })
      : json(404, { code: 'NotFound', message: 'Not found.', retryable: false });
  }
  if (request.wantsPage) {
    const title = titles[error.code] ?? 'That did not work';
    const response = page(status, { title, words: [error.message], ...wayOn });
    return { ...response, headers: { ...response.headers, ...retry } };
  }
  return json(status, { code: error.code, message: error.message, retryable: error.retryable }, retry);
}

export const nothingHere = new ClaimcheckError('NotFound', 'Not found.');

/** 401 for programs. Browsers are sent to sign in instead, by the caller that knows the way back. */
export function unauthenticated(): HttpResponse {
  return json(
    401,
    { code: 'Unauthenticated', message: 'Sign in first, or send a valid bearer token.', retryable: false },
    { 'www-authenticate': 'Bearer realm="claimcheck"' },
  );
}

export function methodNotAllowed(allow: string): HttpResponse {
  return json(405, { code: 'InvalidInput', message: `Allowed here: ${allow}.`, retryable: false }, { allow });
}
