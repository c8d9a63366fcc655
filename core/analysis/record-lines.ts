import { isUtf8 } from 'node:buffer';
import { recordWriter } from '../read/record-text.ts';
import type { ResultIndex } from '../store/result-index.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const openBrace = 0x7b;

/**
 * Turns each record's own bytes into one line of NDJSON, an object always: a record that is none becomes
 * `{"value": …}`, a line of text `{"line": n, "text": …}`, a row of a table an object of its header's names. The line
 * comes without its end.
 */
export function recordLines(index: Pick<ResultIndex, 'kind' | 'table'>): (record: Uint8Array) => Uint8Array {
  if (index.table !== null) {
    const rows = recordWriter(index, null);
    return (record) => Buffer.from(rows.write(record).text, 'utf8');
  }
  if (index.kind === 'text') {
    let line = 0;
    return (record) => {
      line += 1;
      return Buffer.from(JSON.stringify({ line, text: Buffer.from(record).toString('utf8') }), 'utf8');
    };
  }
  return (record) => {
    const start = firstByte(record);
    const flat = wellFormed(oneLine(start === 0 ? record : record.subarray(start)));
    if (flat[0] === openBrace) return flat;
    return Buffer.concat([Buffer.from('{"value":'), flat, Buffer.from('}')]);
  };
}

/** Line ends inside a JSON value are white space only: inside strings they are escaped. */
function oneLine(record: Uint8Array): Uint8Array {
  if (record.indexOf(lineFeed) < 0 && record.indexOf(carriageReturn) < 0) return record;
  const flat = new Uint8Array(record);
  for (let at = 0; at < flat.length; at += 1) {
    if (flat[at] === lineFeed || flat[at] === carriageReturn) flat[at] = 0x20;
  }
  return flat;
}

/** Bytes that are no UTF-8 are shown as U+FFFD, as in every other answer. */
function wellFormed(record: Uint8Array): Uint8Array {
  return isUtf8(record) ? record : Buffer.from(Buffer.from(record).toString('utf8'), 'utf8');
}

function firstByte(record: Uint8Array): number {
  let at = 0;
  while (at < record.length && (record[at] as number) <= 0x20) at += 1;
  return at;
}
