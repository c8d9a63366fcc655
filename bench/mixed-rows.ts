export const kinds = ['invoice', 'parcel', 'refund', 'meter', 'ticket', 'stock', 'route', 'claim'];
const differentCodes = 1_000_000;

/** Row `i` of a table of ten columns: ids, text, numbers, dates, a flag, empty cells and text with a comma in it. */
export const mixedRow = (i: number) => ({
  id: i,
  code: `C-${String((i * 7919) % differentCodes).padStart(7, '0')}`,
  kind: kinds[i % 8],
  amount: ((i * 7919) % 1_000_003) / 100,
  open: i % 3 === 0,
  customer: `customer ${(i * 31) % 50_000}`,
  created: new Date(1_600_000_000_000 + i * 60_000).toISOString(),
  region: `r${i % 20}`,
  score: i % 7 === 0 ? null : (i * 104_729) % 200_003,
  note: `note ${i % 1000}, on ${kinds[(i * 5) % 8]}`,
});
