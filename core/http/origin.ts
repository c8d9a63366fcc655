import { ClaimcheckError } from '../errors.ts';
import type { HttpRequest } from './request.ts';

/**
 * Throws `Forbidden` unless a state-changing request comes from our own pages (DESIGN 7.9). Browsers always send
 * `Origin` with POST and DELETE, so its absence is a refusal too. Bearer tokens are never sent by a browser on its own.
 */
export function requireOwnOrigin(request: HttpRequest, publicBaseUrl: string): void {
  if (request.headers['authorization'] !== undefined) return;
  if (request.headers['origin'] !== new URL(publicBaseUrl).origin) {
    throw new ClaimcheckError('Forbidden', 'This change must be made from the console itself.');
  }
}
