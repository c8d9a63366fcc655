/** Rows in one answer: about 4 MB, under the 6 MB that a function may answer. */
export const flightRows = 80_000;

/**
 * `flightRows` consecutive rows of the data set (a JSON array of flat objects, no spaces), wrapping round at its end,
 * in the bytes they have there. The seed sets the first row; seed 1 starts at the file's first.
 */
export function flightsText(file: string, seed: number): string {
  const rows = file
    .trim()
    .slice(1, -1)
    .split(/(?<=\}),/);
  const start = ((((seed - 1) * 7_919) % rows.length) + rows.length) % rows.length;
  const picked = Array.from({ length: Math.min(flightRows, rows.length) }, (_, i) => rows[(start + i) % rows.length]);
  return `[${picked.join(',')}]`;
}
