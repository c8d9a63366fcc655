import * as z from 'zod/mini';

/** What the example tools make their data from: set by `npm start -- --records N --seed S`, read from the function's environment. */
export interface ExampleData {
  /** Number of services in the status report. */
  readonly records: number;
  readonly seed: number;
}

const schema = z.object({
  CLAIMCHECK_EXAMPLE_RECORDS: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(2_000_000)), 60_000),
  CLAIMCHECK_EXAMPLE_SEED: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(4_294_967_295)), 1),
});

export function exampleData(variables: Readonly<Record<string, string | undefined>>): ExampleData {
  const parsed = schema.parse(variables);
  return { records: parsed.CLAIMCHECK_EXAMPLE_RECORDS, seed: parsed.CLAIMCHECK_EXAMPLE_SEED };
}

/** Mulberry32: a small seeded generator, equal on every machine. Answers numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
