const bar = { type: 'bar', x: 'region', y: 'n' } as const;

/** Chart specifications that must not become more than a chart. */
export const hostileCharts: readonly (readonly [name: string, chart: unknown])[] = [
  ['data by address', { ...bar, data: { url: '{url}/x.json' } }],
  ['data by file', { ...bar, data: { url: 'file://{file}' } }],
  ['a transform', { ...bar, transform: [{ calculate: 'this.constructor.constructor("return process")()', as: 'x' }] }],
  ['a signal', { ...bar, signals: [{ name: 's', update: 'data("x")' }] }],
  ['an expression as title', { ...bar, title: { signal: 'process.env' } }],
  ['a link', { ...bar, href: 'javascript:alert(1)' }],
  ['an image mark', { type: 'image', x: 'region', y: 'n', url: '{file}' }],
  ['a whole specification', { $schema: 'https://vega.github.io/schema/vega/v6.json', marks: [] }],
  ['a width without end', { ...bar, width: 1e9 }],
  ['a height below zero', { ...bar, height: -1 }],
  ['not a number as width', { ...bar, width: Number.NaN }],
  ['a column as list', { ...bar, x: ['region'] }],
  ['a column as object', { ...bar, y: { field: 'n', aggregate: 'sum' } }],
  ['a format', { ...bar, format: '%2000000000d' }],
  ['a palette', { ...bar, colors: ['url(#x)'] }],
  ['a prototype', JSON.parse('{"type":"bar","x":"region","y":"n","__proto__":{"data":1}}')],
  ['a column that is not there', { ...bar, y: '__proto__' }],
  ['a column of texts as numbers', { ...bar, y: 'region' }],
  ['mark-up as title', { ...bar, title: '</text><image href="{file}"/><script>alert(1)</script>' }],
  [
    'mark-up as axis title',
    { ...bar, y_title: '"><image href="{url}/x.png"/>', x_title: ']]><!ENTITY x SYSTEM "{file}">' },
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the attack is the text itself.
  ['an expression as words', { ...bar, title: 'datum.x; ${process.env}', unit: '{{process}}' }],
  ['a long title', { ...bar, title: 'x'.repeat(200) }],
  ['right-to-left and joined words', { ...bar, title: '\u202e\u0000\ud800 \u200d👩‍👩‍👧' }],
  ['a list', [bar]],
  ['a text', 'bar'],
];

/** Queries whose rows are hard to draw, and the chart over them. */
export const hostileChartRows: readonly (readonly [name: string, sql: string, chart: unknown])[] = [
  ['too many marks', 'SELECT n::VARCHAR AS region, n FROM range(200000) t(n)', bar],
  ['too many series', 'SELECT n AS region, n, n::VARCHAR AS s FROM range(500) t(n)', { ...bar, series: 's' }],
  ['5,000 names', "SELECT 'name ' || n AS region, n FROM range(5000) t(n)", bar],
  ['numbers without end', 'SELECT n AS region, 1e308 * (n - 2) AS n FROM range(5) t(n)', { ...bar, type: 'line' }],
  ['mark-up as names', `SELECT '<image href="{file}"/>' AS region, 1 AS n`, bar],
  ['addresses as names', "SELECT '{url}/x.png' AS region, 1 AS n UNION ALL SELECT 'javascript:alert(1)', 2", bar],
  [
    'dates far away',
    "SELECT * FROM (VALUES ('0001-01-01', 1), ('9999-12-31', 2)) t(region, n)",
    { ...bar, type: 'line' },
  ],
  ['no rows', 'SELECT region, id AS n FROM data WHERE false', bar],
];
