import { ClaimcheckError } from '../../core/errors.ts';
import { parseReference } from '../../core/reference/reference.ts';

const scheme = 'claimcheck://results/';

/** A page of a stored result as a resource: `resources/read` takes an address and no range, so the page is in it. */
export interface ResourcePage {
  readonly ref: string;
  readonly offset: number;
  readonly limit?: number;
  readonly fields?: readonly string[];
}

export const resourceTemplate = `${scheme}{session}/{id}{?offset,limit,fields}`;

export function resourceUri({ ref, offset, limit, fields }: ResourcePage): string {
  const query = new URLSearchParams();
  if (offset > 0) query.set('offset', String(offset));
  if (limit !== undefined) query.set('limit', String(limit));
  if (fields !== undefined) query.set('fields', fields.join(','));
  return query.size === 0 ? scheme + ref : `${scheme}${ref}?${query}`;
}

/** Throws `BadReference` for an address that is none of ours, before anything is looked up. */
export function parseResourceUri(uri: string): ResourcePage {
  const [path = '', query = '', ...rest] = uri.split('?');
  if (!path.startsWith(scheme) || rest.length > 0 || uri.length > 4_096) {
    throw new ClaimcheckError('BadReference', `uri: expected ${resourceTemplate}`);
  }
  const { ref } = parseReference(path.slice(scheme.length));
  const given = new URLSearchParams(query);
  const whole = (name: string): number | undefined => {
    const text = given.get(name);
    if (text === null) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw new ClaimcheckError('InvalidInput', `uri: ${name} is no whole number`);
    return Number(text);
  };
  const [limit, fields] = [whole('limit'), given.get('fields')];
  return {
    ref,
    offset: whole('offset') ?? 0,
    ...(limit === undefined ? {} : { limit }),
    ...(fields === null ? {} : { fields: fields.split(',') }),
  };
}
