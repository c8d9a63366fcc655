const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** 14713201 → `14.7 MB`. Decimal units, as file managers show them. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit === 0
    ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
    : `${value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '')} ${units[unit]}`;
}

const wholeNumber = new Intl.NumberFormat('en');

export function count(value: number): string {
  return wholeNumber.format(value);
}

export function counted(value: number | null, unit: 'records' | 'lines'): string {
  if (value === null) return `an unknown number of ${unit}`;
  return `${count(value)} ${value === 1 ? unit.slice(0, -1) : unit}`;
}

/** What is in a stored result, in parts for one line: of a picture its name and kind, of all else how much there is. */
export function contentOf(result: {
  readonly file_name: string | null;
  readonly picture_type: string | null;
  readonly records: number | null;
  readonly unit: 'records' | 'lines' | null;
  /** Of a part: how many its source holds in all. */
  readonly source_total?: number | null;
  readonly bytes: number | null;
  readonly kind?: string | null;
}): readonly string[] {
  const picture = result.picture_type;
  const bytes = result.bytes === null ? [] : [size(result.bytes)];
  if (picture !== null)
    return [...(result.file_name === null ? [] : [result.file_name]), pictureKind(picture), ...bytes];
  return [amount(result), ...bytes, ...(result.kind ? [result.kind] : [])];
}

/** `100,000 of 1,000,000 records` where the file is a part of what its source holds, as a list with a limit is. */
function amount({
  records,
  unit,
  source_total: total,
}: {
  readonly records: number | null;
  readonly unit: 'records' | 'lines' | null;
  readonly source_total?: number | null;
}): string {
  if (records === null || total === undefined || total === null) return counted(records, unit ?? 'records');
  return `${count(records)} of ${counted(total, unit ?? 'records')}`;
}

/** `image/svg+xml` → `SVG picture`. */
export function pictureKind(type: string): string {
  return `${type.replace(/^image\/|\+xml$/g, '').toUpperCase()} picture`;
}

/** A share as a percentage that never rounds something to nothing or nearly all to all. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const share = (100 * part) / whole;
  if (share < 0.1) return '< 0.1 %';
  if (part < whole && share > 99.9) return '> 99.9 %';
  return `${share.toFixed(share < 10 ? 1 : 0).replace(/\.0$/, '')} %`;
}

const dayOnly = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

export function day(instant: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? 'an unknown date' : dayOnly.format(date);
}

export function moment(instant: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : dayAndTime.format(date);
}

/** `service_status` → `service status`, for reading. */
export function spoken(name: string): string {
  return name.replaceAll('_', ' ');
}
