import { ClaimcheckError } from '../../core/errors.ts';
import { parseReference } from '../../core/reference/reference.ts';

const scheme = 'claimcheck://results/';

/** A page of a stored result as a resource: `resources/read` takes an address and no range, so the page is in it. */
export interface ResourcePage {
  readonly ref: string;
  readonly offset: number;
  readonly limit?: number;
  readonly fields?: readonly string[];
  /** A piece of one record that is wider than a page, from 1. */
  readonly part?: number;
}

export const resourceTemplate = `${scheme}{session}/{id}{?offset,limit,fields,part}`;

export function resourceUri({ ref, offset, limit, fields, part }: ResourcePage): string {
  const query = new URLSearchParams();
  if (offset > 0) query.set('offset', String(offset));
  if (limit !== undefined) query.set('limit', String(limit));
  if (fields !== undefined) query.set('fields', fields.join(','));
  if (part !== undefined) query.set('part', String(part));
  return query.size === 0 ? scheme + ref : `${scheme}${ref}?${query}`;
}

/** The page after one, by the coverage of what it delivered; null after the last, undefined where none was delivered. */
export function nextPage(
  { part: _, ...page }: ResourcePage,
  { loaded, next_offset: offset, next_part: part }: PageCoverage,
): ResourcePage | null | undefined {
  if (part !== undefined) return { ...page, part };
  if (offset === null) return null;
  return loaded === 0 && offset <= page.offset ? undefined : { ...page, offset };
}

export interface PageCoverage {
  readonly loaded: number;
  readonly next_offset: number | null;
  readonly next_part?: number;
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
  const [limit, part, fields] = [whole('limit'), whole('part'), given.get('fields')];
  return {
    ref,
    offset: whole('offset') ?? 0,
    ...(limit === undefined ? {} : { limit }),
    ...(part === undefined ? {} : { part }),
    ...(fields === null ? {} : { fields: fields.split(',') }),
  };
}
