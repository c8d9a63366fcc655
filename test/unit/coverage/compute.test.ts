import fc from 'fast-check';
import { previewCoverage, readCoverage } from '../../../core/coverage/compute.ts';
import { reconcileIdentity } from '../../../core/coverage/identity.ts';

const preview = { unit: 'records', total: 120, shown: 20, complete: false } as const;
const read = { unit: 'records', total: 120, offset: 0, limit: 50, delivered: 50 } as const;

test("DESIGN's example of a read, word for word", () => {
  expect(readCoverage({ ...read, delivered: 20, stoppedBy: 'entry_limit' })).toEqual({
    unit: 'records',
    requested: 50,
    loaded: 20,
    total: 120,
    offset: 0,
    next_offset: 20,
    byte_complete: true,
    filtered_count: 0,
    selection_complete: false,
    input_complete: false,
    reasons: ['entry_limit'],
  });
});

test('a selection delivered whole is complete as a selection, not as the input', () => {
  expect(readCoverage(read)).toMatchObject({
    selection_complete: true,
    input_complete: false,
    reasons: ['request_limit'],
  });
  expect(readCoverage({ ...read, limit: null, delivered: 120 })).toMatchObject({
    input_complete: true,
    reasons: [],
    next_offset: null,
  });
  expect(readCoverage({ ...read, limit: null, delivered: 120, projected: true })).toMatchObject({
    selection_complete: true,
    input_complete: false,
    reasons: ['selection'],
  });
});

test('the end and past the end: nothing is left, nothing starts again, and the total is named', () => {
  for (const offset of [120, 400]) {
    expect(readCoverage({ ...read, offset, delivered: 0 })).toMatchObject({
      requested: 0,
      loaded: 0,
      total: 120,
      next_offset: null,
      selection_complete: true,
      input_complete: false,
    });
  }
  expect(readCoverage({ ...read, offset: 119, delivered: 1 })).toMatchObject({
    requested: 1,
    loaded: 1,
    next_offset: null,
  });
});

test('a record that does not fit at all is not skipped: the next offset is its own', () => {
  expect(readCoverage({ ...read, offset: 7, delivered: 0, stoppedBy: 'byte_limit' })).toMatchObject({
    next_offset: 7,
    selection_complete: false,
    reasons: ['selection', 'byte_limit'],
  });
});

test('an open population has no total and is neither complete nor incomplete', () => {
  expect(previewCoverage({ ...preview, population: 'open' })).toMatchObject({
    requested: null,
    total: null,
    input_complete: null,
    next_offset: 20,
    selection_complete: false,
  });
});

test('a shortened value is no whole record, and what could not be kept is named only when something is missing', () => {
  expect(previewCoverage({ ...preview, total: 1, shown: 0, shortened: true })).toMatchObject({
    loaded: 0,
    byte_complete: false,
    reasons: ['byte_limit'],
  });
  expect(previewCoverage({ ...preview, storage: 'too_large' }).reasons).toEqual(['byte_limit', 'storage_limit']);
  expect(previewCoverage({ ...preview, shown: 120, complete: true, storage: 'not_stored' }).reasons).toEqual([]);
});

test('fewer than were asked for, with nothing else to explain it', () => {
  expect(previewCoverage({ ...preview, total: 60, shown: 60, complete: true, requested: 65 })).toMatchObject({
    requested: 65,
    loaded: 60,
    selection_complete: false,
    input_complete: false,
    reasons: ['upstream_partial'],
  });
});

test('ids: as many as asked for are not the right ones', () => {
  const reconciled = reconcileIdentity(['1', '2', '3'], [1, 2, 2]);
  expect(reconciled).toMatchObject({ missing_ids: ['3'], duplicate_ids: ['2'], unexpected_ids: [], mismatch: true });
  const coverage = readCoverage({ ...read, limit: null, delivered: 3, ids: { requested: 3, reconciled } });
  expect(coverage).toMatchObject({
    requested: 3,
    loaded: 3,
    missing_ids: ['3'],
    selection_complete: false,
    reasons: ['selection', 'identity_mismatch'],
  });
  expect(reconcileIdentity(null, ['a', 'b', 'a'])).toMatchObject({
    missing_ids: [],
    duplicate_ids: ['a'],
    mismatch: true,
  });
  expect(reconcileIdentity([9007199254740993n, 'x'], ['9007199254740993', 'x']).mismatch).toBe(false);
});

test('long lists of ids are cut, their counts are not', () => {
  const expected = Array.from({ length: 4000 }, (_, index) => `${index}`);
  const identity = reconcileIdentity(expected, [`z${'9'.repeat(5000)}`]);
  const coverage = previewCoverage({ ...preview, identity });
  expect(coverage.id_counts).toEqual({ missing: 4000, duplicate: 0, unexpected: 1 });
  expect(JSON.stringify(coverage).length).toBeLessThan(2000);
});

test('for any read: the parts add up, and a page after page reaches the end without a gap or an overlap', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 80 }), (total, limit, cap) => {
      let offset = 0;
      for (;;) {
        const delivered = Math.min(limit, cap, total - offset);
        const stopped = delivered < Math.min(limit, total - offset) ? 'entry_limit' : null;
        const coverage = readCoverage({ unit: 'records', total, offset, limit, delivered, stoppedBy: stopped });
        expect(coverage.selection_complete).toBe(coverage.loaded === coverage.requested);
        expect(coverage.input_complete).toBe(delivered === total);
        if (coverage.next_offset === null) {
          expect(offset + delivered).toBe(total);
          return;
        }
        expect(coverage.next_offset).toBe(offset + delivered);
        offset = coverage.next_offset;
      }
    }),
  );
});
