import { guardedHeaders, type HttpResponse } from './response.ts';

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:14vh auto 0;padding:0 1.5rem;' +
  'background:light-dark(#f6f7f9,#14171c);color:light-dark(#1d2430,#e4e8ee)}h1{font-size:1.4rem;line-height:1.3;margin:0 0 .5rem}' +
  'p{margin:.5rem 0}a,button{color:light-dark(#0b57d0,#8ab4ff)}button{font:inherit;padding:.5rem 1rem;border:1px solid;border-radius:.5rem;background:none;cursor:pointer}';

export interface Page {
  readonly title: string;
  /** Paragraphs, as plain text. */
  readonly words: readonly string[];
  /** One way on. `method: 'post'` makes a button, for what changes state. */
  readonly action?: { readonly href: string; readonly text: string; readonly method?: 'post' };
}

/** A small page for people, without script: every text is escaped, and the policy allows nothing from elsewhere. */
export function page(statusCode: number, content: Page, formTargets = "'self'"): HttpResponse {
  const { title, words, action } = content;
  const way =
    action === undefined
      ? ''
      : action.method === 'post'
        ? `<form method="post" action="${escapeHtml(action.href)}"><button>${escapeHtml(action.text)}</button></form>`
        : `<p><a href="${escapeHtml(action.href)}">${escapeHtml(action.text)}</a></p>`;
  return {
    statusCode,
    headers: {
      ...guardedHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action ${formTargets}`,
    },
    body:
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
      `<title>${escapeHtml(title)} · Claimcheck</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>` +
      `${words.map((text) => `<p>${escapeHtml(text)}</p>`).join('')}${way}</main></body></html>`,
  };
}

/** Text as HTML text or attribute value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
