import type { JsonValue } from '../json.ts';
import type { ContentBlock } from './block.ts';
import { looksStructured, parsedJson } from './json-text.ts';

/**
 * Has the block the shape of our data reference (DESIGN 5.3)? In a tool's own output, as `json` or as text, that is
 * data like any other and never granted, linked or trusted: what makes a reference is that platform code wrote it,
 * which no shape can show. For counting and warning, and for telling our own block apart in a place we wrote.
 */
export function isDataReferenceShape(block: ContentBlock): boolean {
  if ('json' in block) return holdsReference(block.json);
  if (!('text' in block) || !looksStructured(block.text)) return false;
  return holdsReference(parsedJson(block.text));
}

/** The object inside `data_reference`; undefined when the block has not that shape. */
export function dataReferenceOf(block: ContentBlock): { readonly [key: string]: JsonValue } | undefined {
  if (!('json' in block) || !holdsReference(block.json)) return undefined;
  return (block.json as { readonly data_reference: { readonly [key: string]: JsonValue } }).data_reference;
}

function holdsReference(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (!Object.hasOwn(value, 'data_reference')) return false;
  const inner = (value as { readonly [key: string]: JsonValue })['data_reference'];
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner);
}
