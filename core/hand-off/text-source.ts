import { ClaimcheckError } from '../errors.ts';
import { ResultScanner, scanBytes } from '../scan/result-scanner.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';

/** A text that is not held in memory; every walk over it must give the bytes that are said of it. */
export interface StreamedText {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** It is NDJSON. */
  readonly lines: boolean;
  /** Whole records that it must have. */
  readonly records?: number;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

export interface TextSource {
  readonly bytes: number;
  readonly sha256: string;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Told by its looks, so only of what is in memory. */
  readonly contentType: () => string;
  /** Once the body was walked to its end. */
  readonly summary: () => ScanSummary;
}

/** Where the bytes of a text come from, and what is known of them before and after they went by. */
export function sourceOf(text: string | Uint8Array | StreamedText): TextSource {
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) return streamed(text);
  const body = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  const summary = scanBytes(body, { previewBytes: 0 });
  const contentType = summary.kind === 'json' ? 'application/json' : 'text/plain; charset=utf-8';
  return {
    bytes: body.length,
    sha256: summary.sha256,
    body,
    contentType: () => contentType,
    summary: () => summary,
  };
}

/** Scanned on its way into the store; bytes that are not the promised ones fail the upload, so that no object stands. */
function streamed(text: StreamedText): TextSource {
  let summary: ScanSummary | undefined;
  async function* walk(): AsyncGenerator<Uint8Array> {
    const scanner = new ResultScanner({ previewBytes: 0, lines: text.lines });
    let bytes = 0;
    for await (const piece of await text.open()) {
      bytes += piece.length;
      if (bytes > text.bytes) break;
      scanner.write(piece);
      yield piece;
    }
    const seen = scanner.end();
    const counted = text.records === undefined || (seen.records === text.records && seen.parseLoss === null);
    if (bytes !== text.bytes || seen.sha256 !== text.sha256 || !counted) {
      throw new ClaimcheckError('StorageUnavailable', 'text: what was read is not what was promised', {
        promisedBytes: text.bytes,
        readBytes: bytes,
      });
    }
    summary = seen;
  }
  return {
    bytes: text.bytes,
    sha256: text.sha256,
    body: { [Symbol.asyncIterator]: walk },
    contentType: () => (text.lines ? 'application/x-ndjson' : 'application/octet-stream'),
    summary: () => {
      if (summary === undefined) throw new ClaimcheckError('StorageUnavailable', 'text: it was not read to its end');
      return summary;
    },
  };
}
