import { type IdentityReconciliation, reconcileIdentity } from '../coverage/identity.ts';
import { ClaimcheckError } from '../errors.ts';
import { csvFields } from '../scan/csv-rows.ts';
import { answerText, type ReadAnswer, readAnswer } from './answer.ts';
import { FieldPicker } from './field-picker.ts';
import { refuseUnknownFields, refuseUnseenFields } from './known-fields.ts';
import { coverageOfRead, type ReadBound } from './read-coverage.ts';
import type { ReadLimits, ReadSource } from './read-records.ts';
import { allRecords } from './record-feed.ts';
import { columnNames, recordWriter } from './record-text.ts';
import type { Selection } from './selection.ts';

/**
 * The records whose `idField` is one of the ids, wherever they are: one pass over the whole checked copy, since five
 * records are not the right five. Missing and duplicate ids are those of the whole result, also when the page is
 * full; `next_offset` is the record from which the same ids go on.
 */
export async function readIds(
  source: ReadSource,
  selection: Selection,
  idField: string,
  limits: ReadLimits,
): Promise<ReadAnswer> {
  const { index, version } = source;
  const { room } = limits;
  const ids = selection.ids ?? [];
  refuseUnknownFields([idField, ...(selection.fields ?? [])], index);
  const wanted = new Set(ids);
  const idOf = idReader(source, idField);
  const writer = recordWriter(index, selection.fields);
  const most = Math.min(selection.limit ?? Number.MAX_SAFE_INTEGER, limits.maxRecords);
  const found: string[] = [];
  const items: string[] = [];
  const numbers: number[] = [];
  let bytes = 2;
  let exact = true;
  let stop: { readonly at: number; readonly by: ReadBound | null } | null = null;

  for await (const batch of allRecords(index, source.body)) {
    for (const record of batch) {
      const id = record.bytes === null ? undefined : idOf.read(record.bytes);
      if (id === undefined || !wanted.has(id)) continue;
      found.push(id);
      if (record.number < selection.offset || stop !== null || record.bytes === null) continue;
      if (items.length === most) {
        stop = { at: record.number, by: selection.limit === most ? null : 'entry_limit' };
        continue;
      }
      const text = writer.write(record.bytes);
      if (bytes + text.bytes + 1 > room.bytes) {
        stop = { at: record.number, by: room.bound };
        continue;
      }
      items.push(text.text);
      numbers.push(record.number);
      bytes += text.bytes + 1;
      exact &&= text.exact;
    }
  }
  refuseUnseenFields([idField], [idOf.seen()], index);
  if (selection.fields !== null && items.length > 0) refuseUnseenFields(selection.fields, writer.seen, index);

  const reconciled = reconcileIdentity(ids, found);
  for (;;) {
    const coverage = coverageOfIds(source, selection, reconciled, items.length, stop, exact);
    const data = `[${items.join(',')}]`;
    if (Buffer.byteLength(answerText(data, coverage, version)) <= room.bytes) {
      return readAnswer(
        data,
        selection,
        coverage,
        version,
        numbers.map((number) => [number, number + 1] as const),
      );
    }
    if (items.length === 0) {
      if (room.bound === 'request_limit') return readAnswer(data, selection, coverage, version, []);
      throw new ClaimcheckError('SelectionTooLarge', 'ids: the answer does not fit; ask for fewer ids at once');
    }
    items.pop();
    stop = { at: numbers.pop() as number, by: room.bound };
  }
}

function coverageOfIds(
  source: ReadSource,
  selection: Selection,
  reconciled: IdentityReconciliation,
  delivered: number,
  stop: { readonly at: number; readonly by: ReadBound | null } | null,
  exact: boolean,
) {
  return coverageOfRead(source.index, {
    offset: selection.offset,
    limit: selection.limit,
    delivered,
    projected: true,
    cut: !exact,
    stoppedBy: stop?.by ?? null,
    ids: { requested: selection.ids?.length ?? 0, reconciled },
    nextOffset: stop?.at ?? null,
  });
}

/** Reads one record's identifier as text: a string's own text, a number's own digits. */
function idReader(
  source: ReadSource,
  field: string,
): { read(record: Uint8Array): string | undefined; seen(): boolean } {
  const { table } = source.index;
  if (table !== null) {
    const column = columnNames(table.header).indexOf(field);
    return { read: (record) => csvFields(record, table.delimiter)[column], seen: () => true };
  }
  const picker = new FieldPicker([field], Number.MAX_SAFE_INTEGER, true);
  let seen = false;
  return {
    seen: () => seen,
    read: (record) => {
      picker.begin();
      picker.write(record, 0, record.length);
      const raw = picker.value(0);
      if (raw === undefined) return undefined;
      seen = true;
      if (raw[0] !== quote) return raw.toString('latin1');
      return raw.includes(backslash)
        ? (JSON.parse(raw.toString('utf8')) as string)
        : raw.toString('utf8', 1, raw.length - 1);
    },
  };
}

const quote = 0x22;
const backslash = 0x5c;
