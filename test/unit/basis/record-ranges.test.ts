import fc from 'fast-check';
import { collectBasis } from '../../../core/basis/collect-basis.ts';
import { countOf, unionOf } from '../../../core/basis/record-ranges.ts';
import type { RunCall } from '../../../core/basis/run-calls.ts';

describe('unionOf', () => {
  it('counts every record once: 0–50 and 30–80 is 80', () => {
    expect(
      unionOf([
        [30, 80],
        [0, 50],
      ]),
    ).toEqual([[0, 80]]);
    expect(
      countOf([
        [0, 10],
        [20, 30],
        [10, 20],
        [5, 5],
        [9, 3],
      ]),
    ).toBe(30);
  });

  it('counts as a set would', () => {
    const range = fc.tuple(fc.nat(60), fc.nat(60));
    fc.assert(
      fc.property(fc.array(range), (ranges) => {
        const set = new Set<number>();
        for (const [start, end] of ranges) for (let at = start; at < end; at += 1) set.add(at);
        expect(countOf(ranges)).toBe(set.size);
      }),
    );
  });
});

const ref = `${'a'.repeat(32)}/${'b'.repeat(32)}`;
const coverage = (more: object) => ({
  unit: 'records',
  requested: 10,
  loaded: 10,
  total: 100,
  offset: 0,
  next_offset: 10,
  byte_complete: true,
  filtered_count: 0,
  selection_complete: true,
  input_complete: false,
  reasons: [],
  ...more,
});
const call = (turn: number, delivered: object, more: Partial<RunCall> = {}): RunCall => ({
  turn,
  input: {},
  sentAt: turn + 1,
  outcome: {
    toolUseId: `t${turn}`,
    tool: 'read_result',
    status: 'success',
    content: [],
    ref: null,
    callDigest: 'x',
    oversize: false,
    at: '',
    delivered: delivered as never,
  },
  ...more,
});
const read = (offset: number, loaded: number, more: object = {}) => ({
  kind: 'read',
  ref,
  fields: null,
  ranges: [[offset, offset + loaded]],
  coverage: coverage({ offset, loaded, ...more }),
});

describe('collectBasis', () => {
  it('counts only what stood in a request that was answered', () => {
    const [result] = collectBasis([call(1, read(0, 50)), call(2, read(50, 50), { sentAt: null })], []).results;
    expect(result).toMatchObject({ seen: 50, unread: 50, complete: false });
  });

  it('is complete without a hedge when all was read, or analysed whole', () => {
    expect(collectBasis([call(1, read(0, 60)), call(2, read(40, 60))], []).results[0]).toMatchObject({
      seen: 100,
      unread: 0,
      complete: true,
      reasons: [],
    });
    const analysis = call(1, {
      kind: 'analysis',
      refs: [ref],
      coverage: coverage({ loaded: 100, input_complete: true }),
    });
    expect(collectBasis([analysis], []).results[0]).toMatchObject({
      seen: 0,
      analyses: 1,
      wholeAnalyses: 1,
      complete: true,
      reasons: [],
    });
  });

  it('carries losses and mismatches up', () => {
    const lossy = read(0, 100, { reasons: ['parse_loss', 'entry_limit'] });
    expect(collectBasis([call(1, lossy)], []).results[0]).toMatchObject({
      seen: 100,
      complete: false,
      reasons: ['parse_loss'],
    });
  });

  it('an open population is never complete or incomplete', () => {
    const search = read(0, 25, { total: null, input_complete: null });
    expect(collectBasis([call(1, search)], []).results[0]).toMatchObject({
      seen: 25,
      total: null,
      unread: null,
      complete: null,
    });
  });
});
