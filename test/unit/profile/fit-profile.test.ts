import fc from 'fast-check';
import { fitProfile } from '../../../core/profile/fit-profile.ts';
import { profileOf } from './profile-of.ts';

const wide = profileOf(
  Array.from({ length: 30 }, (_, row) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`column ${index}`, `é${row % 4}`]))),
  ),
);

test('fits any budget, counts every column it drops, and more bytes never show fewer columns', () => {
  fc.assert(
    fc.property(fc.integer({ min: 120, max: 40_000 }), fc.nat(2000), (budget, more) => {
      const fitted = fitProfile(wide, budget);
      expect(Buffer.byteLength(JSON.stringify(fitted), 'utf8')).toBeLessThanOrEqual(budget);
      expect(fitted.columns.length + fitted.columns_left_out).toBe(120);
      expect(fitted.records).toBe(30);
      expect(fitProfile(wide, budget + more).columns.length).toBeGreaterThanOrEqual(fitted.columns.length);
    }),
    { numRuns: 200 },
  );
});

test('a profile that fits is left as it is; detail goes before columns', () => {
  expect(fitProfile(wide, 1e6)).toBe(wide);
  const bare = fitProfile(wide, 13_000);
  expect(bare.columns).toHaveLength(120);
  expect(bare.columns[119]).toMatchObject({ path: 'column 119', distinct: 4 });
  expect(bare.columns[119]?.top).toBeUndefined();
});

test('one very long name does not keep out the columns after it', () => {
  const named = profileOf([`{"${'n'.repeat(250)}":1,"a":2,"b":3}`]);
  const fitted = fitProfile(named, 300);
  expect(fitted.columns.map((column) => column.path)).toEqual(['a', 'b']);
  expect(fitted.columns_left_out).toBe(1);
});
