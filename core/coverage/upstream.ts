/** The tool's own paging, as it stands in the result (DESIGN 5.4). */
export interface Upstream {
  /** The tool says that there is more than it sent. */
  readonly partial: boolean;
  /** How many there are by the tool's own word; null when it does not say. */
  readonly total: number | null;
  /** The field that says so, e.g. `has_more: true`. */
  readonly evidence: string;
}

/** Objects are looked into this deep: `data.issues.pageInfo.hasNextPage` is four. */
const depthLimit = 4;
const fieldLimit = 200;

// Names are compared without case, `_`, `-`, `.`, `@` and `$`, so `next_page_token`, `nextPageToken` and `@odata.nextLink` need no variants.
const moreFlags = new Set(['hasmore', 'hasnext', 'hasnextpage', 'morefollows', 'moreresults', 'more', 'morepages']);
const cutFlags = new Set(['truncated', 'istruncated', 'incompleteresults', 'partial', 'ispartial', 'limitreached']);
const lastFlags = new Set(['last', 'islast', 'lastpage', 'islastpage', 'done']);
const cursors = new Set([
  'next',
  'nextcursor',
  'cursornext',
  'nextpage',
  'nextpagetoken',
  'nexttoken',
  'nextlink',
  'nexturl',
  'nexthref',
  'nextmarker',
  'nextoffset',
  'nextkey',
  'nextcontinuationtoken',
  'nextrecordsurl',
  'odatanextlink',
  'continuationtoken',
  'continuation',
  'lastevaluatedkey',
]);
const totals = new Set([
  'count',
  'total',
  'totalcount',
  'totalresults',
  'totalrecords',
  'totalitems',
  'totalrows',
  'totalelements',
  'totalhits',
  'totalsize',
  'totalmatches',
  'totalmatching',
  'recordcount',
  'resultcount',
  'rowcount',
  'itemcount',
  'numfound',
  'numresults',
  'odatacount',
  'recordstotal',
]);

const pageCounts = new Set(['totalpages', 'pagecount', 'pagestotal', 'numpages', 'numberofpages', 'maxpage']);

interface Finding {
  more: string | null;
  /** More than one page exists, of which this is one. */
  pages: string | null;
  total: number | null;
  totalEvidence: string | null;
  stated: string | null;
}

/**
 * Recognises paging in the fields around the list of rows. `fields` holds the top-level fields that are not the
 * list itself; small nested objects (`meta`, `pagination`, `_links`, `response_metadata`) are looked into.
 * `rows` is the number of records that came. Null when nothing speaks about more or a total.
 */
export function detectUpstream(fields: unknown, rows: number): Upstream | null {
  const finding: Finding = { more: null, pages: null, total: null, totalEvidence: null, stated: null };
  look(fields, '', 1, finding);
  const short = finding.total !== null && finding.total > rows;
  // A count that is met outweighs the number of pages: then the tool has put its pages together.
  if (finding.total === null || short) finding.more ??= finding.pages;
  const evidence = finding.more ?? finding.totalEvidence ?? finding.stated;
  if (evidence === null) return null;
  const both = finding.more !== null && short ? `${finding.more}, ${finding.totalEvidence}` : evidence;
  return { partial: finding.more !== null || short, total: finding.total, evidence: both };
}

function look(value: unknown, path: string, depth: number, finding: Finding): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  let seen = 0;
  for (const [key, field] of Object.entries(value)) {
    seen += 1;
    if (seen > fieldLimit) return;
    const name = path === '' ? key : `${path}.${key}`;
    judge(plain(key), field, name.slice(0, 100), finding);
    if (depth < depthLimit) look(field, name, depth + 1, finding);
  }
}

function judge(name: string, value: unknown, shown: string, finding: Finding): void {
  if (moreFlags.has(name) || cutFlags.has(name)) {
    if (value === true || value === 'true') finding.more ??= `${shown}: true`;
    else if (value === false || value === 'false') finding.stated ??= `${shown}: false`;
  } else if (lastFlags.has(name)) {
    if (value === false) finding.more ??= `${shown}: false`;
  } else if (cursors.has(name)) {
    // A cursor's value may be long or secret: that it is there is the evidence.
    if (isCursor(value)) finding.more ??= `${shown} is set`;
    else if (value === null || value === '') finding.stated ??= `${shown} is empty`;
  } else if (pageCounts.has(name)) {
    const pages = wholeNumber(value);
    if (pages !== null && pages > 1) finding.pages ??= `${shown}: ${pages}`;
  } else if (totals.has(name)) {
    const total = wholeNumber(value);
    if (total !== null && (finding.total === null || total > finding.total)) {
      finding.total = total;
      finding.totalEvidence = `${shown}: ${total}`;
    }
  }
}

function plain(key: string): string {
  return key.replace(/[_\-.@$]/g, '').toLowerCase();
}

function isCursor(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'number') return value > 0;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.keys(value).length > 0;
  return false;
}

/** Amounts such as `total: 12.50` are not counts. */
function wholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  return null;
}
