import { toolOfGate } from '../tool/gate.ts';
import type { DownloadFacts, DownloadTarget } from './download-objects.ts';

/**
 * Longest file name in UTF-8 bytes. File systems take 255; the rest is room for the " (1)" of browsers, and the
 * percent-encoded form stays well inside a signed address.
 */
const maxNameBytes = 180;

/** Names that Windows keeps for devices, with any extension. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/**
 * A name that can be saved everywhere and starts nothing: path parts, control, format and lone surrogate characters go,
 * and so do leading dots, dashes and formula signs; what Windows or Excel refuse in a name becomes `_`; the length is
 * bounded with the extension kept. Falls back to `result`.
 */
export function safeFileName(name: string): string {
  const clean = withoutFolders(name.normalize('NFC'))
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:|?*[\]]/g, '_')
    .replace(/^[\s.\-=+@~]+|[\s.]+$/gu, '');
  const bounded = bound(clean);
  if (bounded === '') return 'result';
  return deviceName.test(bounded) ? `_${bounded}` : bounded;
}

/** A backslash parts folders only where the name is a Windows path; elsewhere it is a character like any other. */
function withoutFolders(name: string): string {
  const last = name.split('/').at(-1) ?? '';
  return /(^|\\)\.\.\\|^\\|^[A-Za-z]:\\/.test(last) ? (last.split('\\').at(-1) ?? '') : last;
}

function bound(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  let kept = '';
  let bytes = Buffer.byteLength(extension);
  for (const character of name.slice(0, name.length - extension.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxNameBytes) break;
    kept += character;
  }
  return kept + extension;
}

/**
 * `Content-Disposition` of RFC 6266: a quoted ASCII name for old clients and the exact one as RFC 5987 `ext-value`,
 * where everything outside `attr-char` is percent-encoded (so `'`, `(`, `)` and `*` are too). Always one line.
 */
export function attachment(name: string): string {
  const safe = safeFileName(name);
  const ascii = safe
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/["\\%;]/g, '_')
    .trim();
  const stem = /^[\s._]*(\.[A-Za-z0-9]+)?$/.test(ascii) ? `result${/\.[A-Za-z0-9]+$/.exec(ascii)?.[0] ?? ''}` : ascii;
  return `attachment; filename="${stem}"; filename*=UTF-8''${extValue(safe)}`;
}

function extValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

const extensions: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'image/png': 'png',
  'image/svg+xml': 'svg',
};

/** For an object that was given no name: its tool and the head of its id, so that two downloads differ. */
export function defaultFileName(facts: Pick<DownloadFacts, 'contentType' | 'tools'>, target: DownloadTarget): string {
  const type = facts.contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const extension = target.kind === 'export' ? 'csv' : (extensions[type] ?? 'txt');
  return `${facts.tools[0] === undefined ? 'result' : toolOfGate(facts.tools[0])}-${target.id.slice(0, 8)}.${extension}`;
}

/** The stored type when it is one that cannot run as a page; anything else is plain bytes. */
export function safeContentType(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type in extensions && type !== 'image/svg+xml'
    ? contentType.replace(/[^\x20-\x7e]/g, '')
    : type === 'text/plain'
      ? 'text/plain; charset=utf-8'
      : 'application/octet-stream';
}
