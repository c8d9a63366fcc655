import { type KindOptions, startScan } from '../scan/detect-kind.ts';
import { plainBytes } from '../scan/plain-bytes.ts';
import { bodyPreview } from './body-preview.ts';
import type { Preview } from './preview.ts';

/** Bytes beyond the budget that are looked at, so that a whole value a little longer than its preview is recognised. */
const slack = 64;

/**
 * The preview of a text by its first bytes alone: reads little more than the budget, whatever the length of `bytes`.
 * Totals are not known then: `shown` counts what is shown. For the true totals scan the whole (`ResultScanner`).
 */
export function headPreview(bytes: Uint8Array, budget: number): Preview {
  const head = plainBytes(bytes.subarray(0, budget + slack));
  const atEnd = head.length === bytes.length;
  const options: KindOptions = {
    headBytes: budget + 1,
    maxRecordBytes: 0,
    inHand: head,
    jsonSink: null,
    csvSink: null,
  };
  const { kind, scan } = startScan(head, atEnd, options);
  const facts = scan.end();
  const records = facts.list === null ? (facts.root.whole ? 1 : 0) : facts.list.index.records;
  return bodyPreview({ kind, bytes: bytes.length, head, facts, records, budget });
}
