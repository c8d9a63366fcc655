import type { ColumnProfile, Profile } from './profile.ts';

type Top = NonNullable<ColumnProfile['top']>;

/** Text of a listed value or bound that is kept when space is short, in characters. */
const shortText = 40;
const longPath = 100;

/**
 * What is given up for space, in this order, each for all columns before the next: objects whose fields stand beside
 * them, digits of means, all but three frequent values, array sizes and long bounds, all but the first, string
 * lengths, means, bounds, columns of very long names. After that columns go, the last first, and are counted.
 */
const steps: readonly ((columns: readonly ColumnProfile[]) => readonly ColumnProfile[])[] = [
  withoutPlainObjects,
  each(roundMean),
  each((column) => firstValues(column, 3)),
  each((column) => omit(longBounds(column), ['min_items', 'max_items'])),
  each((column) => firstValues(column, 1)),
  each((column) => omit(column, ['top'])),
  each((column) => omit(column, ['min_length', 'max_length'])),
  each((column) => omit(column, ['mean'])),
  each((column) => omit(column, ['min', 'max'])),
  // One very long name must not keep out the columns after it.
  (columns) => columns.filter((column) => column.path.length <= longPath),
];

/**
 * The same profile in at most `maxBytes` bytes of JSON (UTF-8). Facts that stay are unchanged, apart from means
 * rounded to six digits; every column dropped is added to `columns_left_out`. The counts alone take up to 120 bytes:
 * a smaller `maxBytes` gets just those.
 */
export function fitProfile(profile: Profile, maxBytes: number): Profile {
  let columns = profile.columns;
  let fitted = profile;
  for (const step of steps) {
    if (size(fitted) <= maxBytes) return fitted;
    columns = step(columns);
    fitted = withColumns(profile, columns);
  }
  let low = 0;
  let high = columns.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (size(withColumns(profile, columns.slice(0, middle))) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return withColumns(profile, columns.slice(0, low));
}

function withColumns(profile: Profile, columns: readonly ColumnProfile[]): Profile {
  const dropped = profile.columns.length - columns.length;
  return { ...profile, columns, columns_left_out: profile.columns_left_out + dropped };
}

function size(profile: Profile): number {
  return Buffer.byteLength(JSON.stringify(profile), 'utf8');
}

function each(change: (column: ColumnProfile) => ColumnProfile) {
  return (columns: readonly ColumnProfile[]): readonly ColumnProfile[] => columns.map(change);
}

/** An object that is nothing but an object says less than its fields do. */
function withoutPlainObjects(columns: readonly ColumnProfile[]): readonly ColumnProfile[] {
  return columns.filter((column) => {
    const types = Object.keys(column.types);
    return (
      types.length !== 1 ||
      types[0] !== 'object' ||
      column.nulls > 0 ||
      column.missing > 0 ||
      !hasFields(columns, column)
    );
  });
}

function hasFields(columns: readonly ColumnProfile[], parent: ColumnProfile): boolean {
  return columns.some((column) => column.path.startsWith(`${parent.path}.`));
}

function roundMean(column: ColumnProfile): ColumnProfile {
  return column.mean === undefined ? column : { ...column, mean: Number(column.mean.toPrecision(6)) };
}

function firstValues(column: ColumnProfile, count: number): ColumnProfile {
  const top: Top | undefined = column.top;
  return top === undefined || top.length <= count ? column : { ...column, top: top.slice(0, count) };
}

/** Never a cut bound: a number of a thousand digits is left out, not shortened. */
function longBounds(column: ColumnProfile): ColumnProfile {
  const long = [column.min, column.max].some((bound) => typeof bound === 'string' && bound.length > shortText);
  return long ? omit(column, ['min', 'max']) : column;
}

function omit(column: ColumnProfile, fields: readonly (keyof ColumnProfile)[]): ColumnProfile {
  const kept = Object.entries(column).filter(([name]) => !fields.includes(name as keyof ColumnProfile));
  return Object.fromEntries(kept) as unknown as ColumnProfile;
}
