import { randomBytes } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';

/** The address of a stored result, `<session>/<id>`; not a permission (DESIGN 5.2). */
export type Reference = string & { readonly __brand: 'Reference' };

const refPattern = /^[0-9a-f]{32}\/[0-9a-f]{32}$/;
const idPattern = /^[0-9a-f]{32}$/;

/** A session, result, export or run id: 128 random bits as 32 lower-case hex digits, made here and nowhere else. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value);
}

export function makeReference(session: string, id: string): Reference {
  if (!isId(session) || !isId(id)) throw badReference();
  return `${session}/${id}` as Reference;
}

/** Throws `BadReference` unless the text is exactly `<32 hex>/<32 hex>`; runs before anything touches a key. */
export function parseReference(value: unknown): {
  readonly ref: Reference;
  readonly session: string;
  readonly id: string;
} {
  if (typeof value !== 'string' || !refPattern.test(value)) throw badReference();
  return { ref: value as Reference, session: value.slice(0, 32), id: value.slice(33) };
}

function badReference(): ClaimcheckError {
  return new ClaimcheckError('BadReference', 'ref: expected <session>/<id>, each 32 lower-case hexadecimal digits');
}
