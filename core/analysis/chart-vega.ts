import type { ChartData } from './chart-data.ts';
import { valueColumn } from './chart-query.ts';
import type { ChartSpec } from './chart-spec.ts';

const themes = {
  light: { background: '#ffffff', text: '#1b1f24', muted: '#57606a', grid: '#d8dee4' },
  dark: { background: '#14181d', text: '#e6edf3', muted: '#9aa4af', grid: '#30363d' },
} as const;

/** Told apart by people with colour-vision deficiencies, legible on both backgrounds (Okabe and Ito, 2008). */
const palette = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8a8f98', '#b5a900'];

/** Longest text of a label, in characters: the middle goes, since names often differ at their end. */
const labelCharacters = 34;
/** Room for the labels before the axis title, in pixels: more than the longest one takes. */
const labelExtent = 400;
const font = 'DejaVu Sans';

/** A specification for the renderer, and the colour to paint under it. Field names are ours; columns are only words. */
export interface VegaChart {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly background: string;
}

/**
 * A chart as Vega-Lite. Nothing of a model's becomes more than a title or a value: no expression, no address, no format
 * is taken over.
 */
export function vegaChart(chart: ChartSpec, data: ChartData): VegaChart {
  const theme = themes[chart.theme ?? 'light'];
  const categories = new Set(data.marks.map((mark) => mark.x)).size;
  const longest = data.xKind === 'text' ? Math.max(0, ...data.marks.map((mark) => [...String(mark.x)].length)) : 0;
  // Many or long names read better down the side.
  const lying = chart.type === 'bar' && data.xKind === 'text' && (longest > 14 || categories > 12);
  const width = chart.width ?? 640;
  const height = chart.height ?? (lying ? Math.min(1_200, Math.max(150, categories * 22)) : 360);
  const category = categoryChannel(chart, data, lying, categories, lying ? height : width);
  const value = valueChannel(chart, data);
  const series = data.marks.some((mark) => mark.series !== null);
  return {
    background: theme.background,
    spec: {
      $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
      width,
      height,
      padding: 16,
      background: theme.background,
      autosize: { type: 'pad', contains: 'content' },
      ...(chart.title === undefined ? {} : { title: { text: wrapped(printable(chart.title), Math.floor(width / 9)) } }),
      data: { values: drawnMarks(data) },
      mark: markOf(chart, data, width),
      encoding: {
        ...(lying ? { y: category, x: value } : { x: category, y: value }),
        ...(series
          ? {
              color: {
                field: 'series',
                type: 'nominal',
                title: printable(chart.series ?? ''),
                sort: null,
                scale: { range: palette },
              },
            }
          : {}),
        ...(series && chart.type === 'bar' ? { order: { field: 'rank' } } : {}),
      },
      config: configOf(theme),
    },
  };
}

/** Marks as they are drawn: names shortened so that they stay apart, series numbered in the order of the legend. */
function drawnMarks({ marks }: ChartData): readonly object[] {
  const place = shortNames();
  const legend = shortNames();
  const ranks = new Map<string | null, number>();
  return marks.map(({ x, y, series }) => {
    if (!ranks.has(series)) ranks.set(series, ranks.size);
    return {
      x: typeof x === 'string' ? place(x) : x,
      y,
      series: series === null ? null : legend(series),
      rank: ranks.get(series),
    };
  });
}

/** Shortens names; two that are not the same are not the same afterwards. */
function shortNames(): (name: string) => string {
  const names = new Map<string, string>();
  const used = new Set<string>();
  return (name) => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const cut = shortened(name);
    let unique = cut;
    for (let n = 2; used.has(unique); n += 1) unique = `${cut} (${n})`;
    used.add(unique);
    names.set(name, unique);
    return unique;
  };
}

/** Without control characters and halves of pairs, which no picture can hold. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, ' ');
}

function shortened(name: string): string {
  const text = printable(name);
  const characters = [...text];
  if (characters.length <= labelCharacters) return text;
  const end = 12;
  return `${characters.slice(0, labelCharacters - end - 1).join('')}…${characters.slice(-end).join('')}`;
}

function markOf({ type }: ChartSpec, data: ChartData, width: number): object {
  switch (type) {
    case 'bar':
      return { type: 'bar', color: palette[0], ...(data.xKind === 'time' ? { width: barPixels(data, width) } : {}) };
    case 'line':
      return { type: 'line', color: palette[0], strokeWidth: 2, interpolate: 'linear' };
    case 'area':
      return {
        type: 'area',
        color: palette[0],
        opacity: 0.75,
        line: data.marks.every((mark) => mark.series === null) && { color: palette[0] },
      };
    case 'point':
      return { type: 'point', color: palette[0], filled: true, size: 36, opacity: 0.8 };
  }
}

/** Bars on an axis of time fill most of the shortest step between two of them. */
function barPixels({ marks }: ChartData, width: number): number {
  const times = [...new Set(marks.map((mark) => Number(mark.x)))].sort((a, b) => a - b);
  if (times.length < 2) return 60;
  const steps = times.slice(1).map((time, at) => time - (times[at] as number));
  const span = (times.at(-1) as number) - (times[0] as number);
  return Math.max(1, Math.min(120, Math.floor((width / (span / Math.min(...steps) + 1)) * 0.8)));
}

function categoryChannel(
  chart: ChartSpec,
  data: ChartData,
  lying: boolean,
  categories: number,
  pixels: number,
): object {
  const title = printable(chart.x_title ?? chart.x);
  const few = Math.max(2, Math.floor(pixels / 90));
  if (data.xKind === 'time') {
    const { format, days } = timeFormat(data);
    const padding = chart.type === 'bar' ? { padding: barPixels(data, pixels) / 2 + 4 } : {};
    return {
      field: 'x',
      type: 'temporal',
      scale: { type: 'utc', ...padding },
      title: `${title}${days ? '' : ' (UTC)'}`,
      axis: { format, labelOverlap: 'greedy', labelFlush: false, tickCount: Math.min(few, Math.max(1, categories)) },
    };
  }
  if (data.xKind === 'number' && chart.type !== 'bar') {
    const axis = { ...numberAxis(data.marks.map((mark) => Number(mark.x))), tickCount: few };
    return { field: 'x', type: 'quantitative', title, scale: { zero: false, nice: few }, axis };
  }
  const angle = lying || categories <= Math.floor(pixels / 70) ? 0 : -40;
  return {
    field: 'x',
    type: 'ordinal',
    title,
    sort: null,
    axis: {
      labelAngle: angle,
      labelLimit: 0,
      maxExtent: labelExtent,
      labelOverlap: 'greedy',
      ...(angle === 0 ? {} : { labelAlign: 'right', labelBaseline: 'middle' }),
    },
  };
}

function valueChannel(chart: ChartSpec, data: ChartData): object {
  const name = chart.y_title ?? valueTitle(chart);
  const title = printable(chart.unit === undefined || chart.unit === name ? name : `${name} (${chart.unit})`);
  const zero = chart.type === 'bar' || chart.type === 'area';
  const axis = { ...numberAxis(data.marks.map((mark) => mark.y)), tickCount: 6 };
  return { field: 'y', type: 'quantitative', title, scale: { zero, nice: 6 }, axis };
}

/** Plain digits up to a million, then 1.5M; never a letter for a thousandth. */
function numberAxis(values: readonly number[]): object {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest < 1e6) return { format: ',.12~g' };
  // Of the host's own writing, like everything here: zero needs no letter.
  return { format: '~s', labelExpr: "datum.value === 0 ? '0' : datum.label" };
}

function valueTitle(chart: ChartSpec): string {
  if (chart.y === undefined || chart.aggregate === 'count') return 'count';
  return chart.aggregate === undefined ? valueColumn(chart) : `${chart.aggregate} of ${chart.y}`;
}

/** As fine as the span needs: years, months, days, or the time of the day. */
function timeFormat(data: ChartData): { readonly format: string; readonly days: boolean } {
  const times = data.marks.map((mark) => Number(mark.x));
  const span = Math.max(...times) - Math.min(...times);
  const day = 86_400_000;
  const days = times.every((time) => time % day === 0);
  if (span > 3 * 365 * day) return { format: '%Y', days: true };
  if (span > 120 * day) return { format: '%b %Y', days: true };
  if (days || span > 3 * day) return { format: '%e %b %Y', days: true };
  const minutes = times.every((time) => time % 60_000 === 0);
  const clock = minutes ? '%H:%M' : '%H:%M:%S';
  return { format: span > 6 * 3_600_000 ? `%e %b ${clock}` : clock, days: false };
}

/** Words of a title in lines that the chart is wide enough for. */
function wrapped(title: string, characters: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of title.split(/\s+/)) {
    if (line !== '' && line.length + word.length + 1 > characters) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function configOf(theme: (typeof themes)['light' | 'dark']): object {
  const label = { labelColor: theme.muted, labelFont: font, labelFontSize: 11 };
  const title = {
    titleColor: theme.text,
    titleFont: font,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    titleLimit: 500,
  };
  return {
    font,
    view: { stroke: 'transparent' },
    title: { color: theme.text, font, fontSize: 15, fontWeight: 'bold', anchor: 'start', offset: 12, limit: 1_600 },
    axis: {
      ...label,
      ...title,
      titlePadding: 10,
      gridColor: theme.grid,
      domainColor: theme.grid,
      tickColor: theme.grid,
    },
    axisX: { grid: false },
    legend: { ...label, ...title, labelLimit: 0 },
    range: { category: palette },
  };
}
