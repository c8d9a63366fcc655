import type { ContentBlock } from '../content/block.ts';
import { parseReference } from '../reference/reference.ts';
import type { Grants, Run } from '../run/run.ts';
import { contentBytes } from './content-size.ts';

/**
 * Did the platform already treat this content in this run? Its last block is then a data reference that the run holds a
 * grant for, and the whole is within the budget. The shape alone proves nothing: without that grant it is a tool's
 * data like any other, and in either case nothing is granted, linked or trusted because of it (DESIGN 5.3).
 */
export async function isOwnPayload(
  run: Run,
  content: readonly ContentBlock[],
  budget: number,
  grants: Grants,
): Promise<boolean> {
  const last = content.at(-1);
  if (last === undefined || !('json' in last) || contentBytes(content) > budget) return false;
  const reference = (last.json as { readonly data_reference?: { readonly ref?: unknown } } | null)?.data_reference;
  try {
    const { ref } = parseReference(reference?.ref);
    return (await grants.find(run.runId, ref)) !== undefined;
  } catch {
    return false;
  }
}
