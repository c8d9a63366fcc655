import type { BodyFacts } from './body-scan.ts';
import { type JsonEvents, JsonMachine } from './json-machine.ts';
import type { ResultKind } from './scan-summary.ts';

const maxFields = 256;
const recordsLooked = 100;
const maxNameBytes = 256;

/** Top-level keys of the first records, first seen first, out of the head that was kept anyway. */
export function recordFields(kind: ResultKind, facts: BodyFacts, head: Uint8Array): readonly string[] {
  if (kind === 'text') return [];
  if (facts.table !== null) return facts.table.header.slice(0, maxFields);
  const fields = new Set<string>();
  if (facts.list === null)
    addKeys(head.subarray(Math.max(facts.root.start, 0), Math.min(facts.root.end, head.length)), fields);
  else {
    const { bytes, spans, firstRecordAt } = facts.list.head();
    if (spans.length === 0 && firstRecordAt >= 0) addKeys(bytes.subarray(firstRecordAt), fields);
    const looked = Math.min(spans.length, recordsLooked * 2);
    for (let i = 0; i < looked && fields.size < maxFields; i += 2) {
      addKeys(bytes.subarray(spans[i], spans[i + 1]), fields);
    }
  }
  return [...fields].slice(0, maxFields);
}

function addKeys(record: Uint8Array, fields: Set<string>): void {
  if (record[0] !== 0x7b) return;
  const events: JsonEvents = {
    valueStart: () => {},
    valueEnd: () => {},
    trailing: () => {},
    lineEnd: () => {},
    keyPiece: (piece, start, end, depth) => {
      if (depth === 1 && end - start <= maxNameBytes && piece[end] === 0x22) fields.add(keyName(piece, start, end));
    },
  };
  new JsonMachine(events, { watch: 1 }).write(record, 0, record.length);
}

function keyName(piece: Uint8Array, start: number, end: number): string {
  const raw = Buffer.from(piece.buffer, piece.byteOffset + start, end - start).toString();
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}
