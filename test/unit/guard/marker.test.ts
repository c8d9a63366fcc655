import { hasExpired, noLongerAvailable, renderMarker } from '../../../core/guard/marker.ts';

const ref = `${'a'.repeat(32)}/${'b'.repeat(32)}`;
const availableUntil = '2026-12-30T00:00:00Z';
const before = new Date('2026-12-29T23:59:59.999Z');
const stored = { kind: 'stored', ref, bytes: 14_713_201, availableUntil } as const;
const read = { kind: 'read', ref, fields: ['id', 'address.city'], offset: 50, limit: 20, availableUntil } as const;
const line = `[full result stored: ref ${ref}, 14713201 bytes, available until ${availableUntil}; open it with read_result or analyze_result]`;

it.each([
  ['a stored result', stored, line],
  [
    'one that is shown in part',
    { ...stored, shown: { count: 20, total: 60_000, unit: 'records' } } as const,
    `[20 of 60000 records shown]\n${line}`,
  ],
  [
    'an earlier read',
    read,
    `[earlier read of ${ref}: fields id, address.city, offset 50, limit 20; repeat with read_result]`,
  ],
  [
    'an earlier read of whole records, without a limit',
    { ...read, fields: null, offset: 0, limit: null },
    `[earlier read of ${ref}: fields all, offset 0, limit none; repeat with read_result]`,
  ],
  [
    'an earlier analysis',
    { kind: 'analysis', refs: [ref, ref], availableUntil } as const,
    `[earlier analysis of ${ref}, ${ref}; repeat with analyze_result]`,
  ],
])('%s: the line of DESIGN 5.5, word for word', (_name, marker, text) => {
  expect(renderMarker(marker, before)).toBe(text);
});

it.each([stored, read])('from its date on, to the instant, nothing is named that could be opened', (marker) => {
  expect(renderMarker(marker, new Date(availableUntil))).toBe(noLongerAvailable);
  expect(noLongerAvailable).toContain('no longer available, run the tool again');
  expect(noLongerAvailable).not.toMatch(/[0-9a-f]{32}/);
});

it('an unreadable date counts as past', () => {
  expect(hasExpired('soon', before)).toBe(true);
  expect(hasExpired(availableUntil, before)).toBe(false);
});
