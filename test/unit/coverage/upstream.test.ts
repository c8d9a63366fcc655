import { detectUpstream } from '../../../core/coverage/upstream.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';

const partial: [string, unknown, number | null, string][] = [
  ['has_more', { has_more: true }, null, 'has_more: true'],
  [
    'a Slack cursor',
    { ok: true, response_metadata: { next_cursor: 'dXNlcg==' } },
    null,
    'response_metadata.next_cursor is set',
  ],
  ['an AWS token', { NextToken: 'abc' }, null, 'NextToken is set'],
  ['a scan key', { Count: 25, LastEvaluatedKey: { pk: 'x' } }, 25, 'LastEvaluatedKey is set'],
  ['S3', { IsTruncated: true, KeyCount: 25 }, null, 'IsTruncated: true'],
  ['a larger count', { count: 120 }, 120, 'count: 120'],
  [
    'GraphQL',
    { data: { issues: { pageInfo: { hasNextPage: true } } } },
    null,
    'data.issues.pageInfo.hasNextPage: true',
  ],
  ['OData', { '@odata.nextLink': 'https://x' }, null, '@odata.nextLink is set'],
  ['HAL', { _links: { next: { href: '/p2' } } }, null, '_links.next is set'],
  ['GitHub search', { total_count: 812, incomplete_results: false }, 812, 'total_count: 812'],
  ['CKAN', { result: { count: 9000 } }, 9000, 'result.count: 9000'],
  ['both', { meta: { has_more: true, total: 64 } }, 64, 'meta.has_more: true, meta.total: 64'],
  ['one of several pages', { page: 1, total_pages: 5 }, null, 'total_pages: 5'],
  ['a page that is not the last', { last: false, totalElements: 99 }, 99, 'last: false, totalElements: 99'],
];

test.each(partial)('%s: more than came', (_, fields, total, evidence) => {
  expect(detectUpstream(fields, 25)).toEqual({ partial: true, total, evidence });
});

test.each([
  ['no word about it', { ok: true, name: 'x' }],
  ['an amount of money', { total: 1234.5 }],
  ['not an object', [1, 2]],
  ['nothing', null],
])('%s: null', (_, fields) => {
  expect(detectUpstream(fields, 25)).toBeNull();
});

test('the tool says that this is all', () => {
  expect(detectUpstream({ has_more: false, next_cursor: '' }, 25)).toMatchObject({ partial: false });
  expect(detectUpstream({ total: 25, total_pages: 3 }, 25)).toMatchObject({ partial: false });
  expect(detectUpstream({ total: 25, next: null }, 25)).toMatchObject({ partial: false, total: 25 });
});

test('a cursor is evidence by being there: its value is not repeated', () => {
  expect(JSON.stringify(detectUpstream({ next_page_token: 'secret-token' }, 1))).not.toContain('secret-token');
});

test('a token of a kilobyte behind the list is seen by the scan too', () => {
  const body = JSON.stringify({ items: [{ id: 1 }, { id: 2 }], meta: { next_page_token: 't'.repeat(1500) } });
  expect(scanBytes(Buffer.from(body), { previewBytes: 4000 })).toMatchObject({
    upstream: { partial: true, evidence: 'meta.next_page_token is set' },
    coverage: { input_complete: false, reasons: ['upstream_partial'] },
  });
});
