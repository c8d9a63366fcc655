import { api, type ViewResponse, type ViewTable } from '../api.ts';
import { h } from '../dom.ts';
import { count, counted, day, moment, pictureKind, size, spoken } from '../format.ts';
import type { Page } from '../page.ts';
import { profileView } from '../profile-view.ts';
import { downloadButtons } from '../result-card.ts';

/** One stored result: facts, download, first records, profile. Reached through the same gate as its download. */
export const resultPage: Page = async ({ main, signal, title }, ref = '') => {
  const result = await api.view(ref, signal);
  const name = spoken(result.tool);
  title(name);
  main.replaceChildren(
    h(
      'div',
      { class: 'head' },
      h('h1', {}, name),
      h('p', { class: 'actions' }, ...downloadButtons(result, result.tool, { primary: true })),
    ),
    factsView(result),
    ...(result.notes.length === 0
      ? []
      : [
          h(
            'ul',
            { class: 'notes', 'aria-label': 'What to know about this copy' },
            ...result.notes.map((note) => h('li', {}, note)),
          ),
        ]),
    ...(result.table === null ? [] : [tableView(result.table, result.unit)]),
    ...(result.text === null ? [] : [textView(result)]),
    ...(result.picture_type === null
      ? []
      : [h('p', { class: 'muted' }, 'A picture has no records to show; the download opens it.')]),
    ...(result.profile === null || result.profile.columns.length === 0 ? [] : [profileView(result.profile)]),
  );
};

function factsView(result: ViewResponse): HTMLElement {
  const facts: readonly (readonly [string, string])[] = [
    ...(result.picture_type === null
      ? ([
          ['Content', counted(result.records, result.unit)],
          ['Size', size(result.bytes ?? 0)],
          ['Kind', result.kind ?? 'unknown'],
        ] as const)
      : ([
          ['Content', pictureKind(result.picture_type)],
          ['Size', size(result.bytes ?? 0)],
        ] as const)),
    ...(result.file_name === null ? [] : [['File', result.file_name] as const]),
    ['Made', moment(result.acquired_at)],
    ['Kept until', day(result.available_until)],
    ...(result.version > 1 ? [['Version', String(result.version)] as const] : []),
  ];
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'facts-list' },
      ...facts.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))),
    ),
    result.sha256 !== null &&
      h('p', { class: 'digest' }, h('span', { class: 'muted' }, 'SHA-256 '), h('code', {}, result.sha256)),
  );
}

function tableView(table: ViewTable, unit: 'records' | 'lines'): HTMLElement {
  const left = table.columns_left_out;
  return h(
    'section',
    {},
    h('h2', {}, 'First records'),
    h(
      'p',
      { class: 'muted' },
      `${count(table.shown)} of ${counted(table.total, unit)} shown${left === 0 ? '' : `; ${count(left)} more columns are in the download`}`,
    ),
    h(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': 'First records', tabindex: '0' },
      h(
        'table',
        { class: 'records' },
        h('thead', {}, h('tr', {}, ...table.columns.map((column) => h('th', { scope: 'col' }, column)))),
        h('tbody', {}, ...table.rows.map((cells) => h('tr', {}, ...cells.map(cellView)))),
      ),
    ),
  );
}

/** A value as its own JSON text says it: digits as they came, a text without its quotes, null apart from missing. */
function cellView(json: string | null): HTMLElement {
  if (json === null) return h('td', { class: 'none' }, h('span', { class: 'unseen' }, 'missing'));
  if (json === 'null') return h('td', { class: 'none' }, 'null');
  if (json.startsWith('"')) return h('td', {}, JSON.parse(json) as string);
  return h('td', { class: /^[-\d]/.test(json) ? 'number' : '' }, json);
}

function textView(result: ViewResponse): HTMLElement {
  return h(
    'section',
    {},
    h('h2', {}, 'First lines'),
    h('pre', { class: 'text', tabindex: '0' }, result.text ?? ''),
    h('p', { class: 'muted' }, `The beginning of ${counted(result.records, result.unit)}; the download has all of it.`),
  );
}
