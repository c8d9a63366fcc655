import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ContentBlock } from '../content/block.ts';
import { parseReference } from '../reference/reference.ts';
import type { Grants, Run } from '../run/run.ts';
import { contentBytes } from './content-size.ts';

export interface OwnPayloadPorts {
  readonly grants: Pick<Grants, 'find'>;
  readonly catalogue: Pick<Catalogue, 'find'>;
  readonly baseUrl: string;
}

/**
 * Did the platform already treat this content in this run? Its last block is then a data reference that the run holds a
 * grant for, with the facts that the catalogue has of it and the link that code attaches, and the whole is within the
 * budget. The shape alone proves nothing, and neither does an address that a tool has learned: without grant and facts
 * it is a tool's data like any other, and in either case nothing is granted, linked or trusted because of it (DESIGN
 * 5.3).
 */
export async function isOwnPayload(
  run: Run,
  content: readonly ContentBlock[],
  budget: number,
  { grants, catalogue, baseUrl }: OwnPayloadPorts,
): Promise<boolean> {
  const last = content.at(-1);
  if (last === undefined || !('json' in last) || contentBytes(content) > budget) return false;
  const claimed = (last.json as { readonly data_reference?: Readonly<Record<string, unknown>> } | null)?.data_reference;
  try {
    const { ref } = parseReference(claimed?.['ref']);
    const [grant, entry] = await Promise.all([grants.find(run.runId, ref), catalogue.find(run.owner, ref)]);
    if (grant === undefined || entry?.status !== 'stored') return false;
    const known: Readonly<Record<string, unknown>> = {
      tool: entry.tool,
      bytes: entry.bytes,
      sha256: entry.sha256,
      [entry.unit]: entry.records,
      available_until: entry.availableUntil,
      download_url: baseUrl === '' ? undefined : `${baseUrl}/results/${ref}`,
    };
    return Object.entries(known).every(([fact, value]) => claimed?.[fact] === value);
  } catch {
    return false;
  }
}
