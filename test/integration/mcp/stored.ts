import type { Kept } from '../../../core/store/keeping.ts';
import type { References } from '../../../core/wrap/references.ts';
import type { RequestContext } from '../../../core/wrap/request-context.ts';

/** Quotes and control characters cost most inside a message: the record at the tail is the one that decides. */
export const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    quote: `"${'\\"'.repeat(20)}" and \u0001\n${id}`,
    note: id === count - 1 ? 'the last one' : 'a row',
  }));

export async function store(
  references: References,
  context: RequestContext,
  value: unknown,
  tool = 'rows',
): Promise<string> {
  const run = references.run(context);
  const kept = (await references.keep({ run, tool, toolUseId: 'use', input: {} }, { kind: 'value', value })) as Kept;
  return (kept.stored as NonNullable<Kept['stored']>).ref;
}
