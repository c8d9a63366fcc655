import { type JsonMachine, State } from './json-machine.ts';
import type { ListCollector } from './list-collector.ts';
import type { ParseLoss } from './scan-summary.ts';

/** Where the reading of a document that is not whole has stopped. */
export interface CutDocument {
  readonly machine: Pick<JsonMachine, 'state' | 'fault' | 'base' | 'depth'>;
  /** Offset of something behind the end of the value; -1: nothing. */
  readonly trailing: number;
  /** Depth of the list that was open; -1: none was. */
  readonly openList: number;
  /** A list of rows had ended before. */
  readonly listEnded: boolean;
}

/** What is lost of a document that is cut, broken or followed by something else. */
export function cutLoss({ machine, trailing, openList, listEnded }: CutDocument): ParseLoss {
  if (trailing >= 0) return { records: 0, note: 'more follows after the end of the JSON value', offset: trailing };
  if (machine.state === State.dead) {
    return { records: 0, note: `not JSON from byte ${machine.fault} on`, offset: machine.fault };
  }
  const offset = machine.base;
  if (openList < 0 && listEnded) return { records: 0, note: 'the JSON is cut after its list of rows', offset };
  const between: readonly number[] = [State.after, State.value, State.firstElement];
  if (openList >= 0 && machine.depth === openList + 1 && between.includes(machine.state)) {
    return { records: 0, note: 'the JSON is cut between two records', offset };
  }
  return { records: 1, note: 'the JSON is cut: its last record is not whole', offset };
}

/** One statement about everything that is not as JSON says it should be. */
export function documentLoss(
  list: ListCollector | null,
  end: ParseLoss | null,
  { odd, firstOdd }: Pick<JsonMachine, 'odd' | 'firstOdd'>,
): ParseLoss | null {
  const bad = list?.bad ?? 0;
  const notes: string[] = [];
  if (bad > 0) notes.push(`${bad} malformed ${bad === 1 ? 'record' : 'records'} left out`);
  if (end !== null) notes.push(end.note);
  if (odd > 0) notes.push(`${odd} ${odd === 1 ? 'value is' : 'values are'} NaN or Infinity, shown as marked strings`);
  if (notes.length === 0) return null;
  const offsets = [bad > 0 && list !== null ? list.firstBad : -1, end?.offset ?? -1, odd > 0 ? firstOdd : -1];
  return {
    records: bad + (end?.records ?? 0),
    note: notes.join('; '),
    offset: Math.min(...offsets.filter((offset) => offset >= 0)),
  };
}
