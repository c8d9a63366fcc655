import type { ViewResponse } from './api.ts';
import { h, svg } from './dom.ts';
import { count, percent, spoken } from './format.ts';

type Profile = NonNullable<ViewResponse['profile']>;
type Column = Profile['columns'][number];

/** Facts about every column of all records, the ones that are not shown too: one small card a column. */
export function profileView(profile: Profile): HTMLElement {
  const left = profile.columns_left_out;
  const skipped = profile.skipped_records;
  return h(
    'section',
    {},
    h('h2', {}, 'Columns'),
    h(
      'p',
      { class: 'muted' },
      `Over all ${count(profile.records)} records${skipped === 0 ? '' : `, ${count(skipped)} of them not looked into`}${left === 0 ? '' : `; ${count(left)} more columns`}`,
    ),
    h('div', { class: 'profile' }, ...profile.columns.map((column) => columnView(column, profile.records))),
  );
}

function columnView(column: Column, records: number): HTMLElement {
  const types = Object.entries(column.types).filter(([, number]) => number > 0);
  const absent = column.nulls + column.missing;
  return h(
    'article',
    { class: 'column' },
    h(
      'h3',
      {},
      h('code', {}, column.path),
      h('span', { class: 'muted' }, types.map(([type]) => type).join(', ') || 'empty'),
    ),
    fillView(column, records),
    column.top !== undefined && column.top.length > 0 ? topView(column.top, records - absent) : rangeView(column),
  );
}

/** The share of records that have a value, as a bar. */
function fillView(column: Column, records: number): HTMLElement {
  const absent = column.nulls + column.missing;
  const words = [
    `${percent(records - absent, records)} filled`,
    ...(column.nulls > 0 ? [`${percent(column.nulls, records)} null`] : []),
    ...(column.missing > 0 ? [`${percent(column.missing, records)} missing`] : []),
    `${column.distinct_exact ? '' : 'about '}${count(column.distinct)} distinct`,
  ].join(' · ');
  return h('p', { class: 'fill' }, bar(records - absent, records, 'fill'), h('span', { class: 'muted' }, words));
}

function topView(top: NonNullable<Column['top']>, filled: number): HTMLElement {
  const most = Math.max(...top.map((entry) => entry.count), 1);
  const shown = top.slice(0, 6);
  return h(
    'ul',
    { class: 'top', 'aria-label': 'Most frequent values' },
    ...shown.map((entry) =>
      h(
        'li',
        {},
        h('span', { class: 'value' }, entry.value === '' ? '(empty text)' : String(entry.value)),
        bar(entry.count, most, 'top'),
        h('span', { class: 'share' }, percent(entry.count, Math.max(filled, 1))),
      ),
    ),
  );
}

function rangeView(column: Column): HTMLElement | null {
  const facts: (readonly [string, string])[] = [];
  if (column.min !== undefined) facts.push(['least', String(column.min)]);
  if (column.mean !== undefined) facts.push(['mean', rounded(column.mean)]);
  if (column.max !== undefined) facts.push(['most', String(column.max)]);
  if (facts.length === 0 && column.max_length !== undefined) {
    facts.push(['length in bytes', `${count(column.min_length ?? 0)} to ${count(column.max_length)}`]);
  }
  if (facts.length === 0) return null;
  return h(
    'div',
    { class: 'range' },
    rangeMark(column),
    h('dl', {}, ...facts.map(([term, value]) => h('div', {}, h('dt', {}, spoken(term)), h('dd', {}, value)))),
  );
}

/** Where the mean lies between the least and the most. */
function rangeMark(column: Column): SVGElement | null {
  const [min, max] = [Number(column.min), Number(column.max)];
  if (column.mean === undefined || !(max > min)) return null;
  const at = 1 + (98 * (column.mean - min)) / (max - min);
  return svg(
    'svg',
    { class: 'mark-range', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', x: 0, y: 2, width: 100, height: 2 }),
    svg('rect', { class: 'point', x: Math.min(98.5, Math.max(0, at - 0.75)), y: 0, width: 1.5, height: 6 }),
  );
}

/** A bar in SVG: widths as attributes, so that the style policy allows it. The words beside it say the same. */
function bar(part: number, whole: number, kind: string): SVGElement {
  const width = whole === 0 ? 0 : (100 * part) / whole;
  return svg(
    'svg',
    { class: `bar-${kind}`, viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', x: 0, y: 0, width: 100, height: 6 }),
    svg('rect', { class: 'part', x: 0, y: 0, width: part > 0 ? Math.max(width, 0.8) : 0, height: 6 }),
  );
}

function rounded(value: number): string {
  return Number.isInteger(value)
    ? String(value)
    : value
        .toPrecision(6)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');
}
