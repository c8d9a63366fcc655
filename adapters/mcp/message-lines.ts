import { Transform } from 'node:stream';

/** Of a message that is too large as much is kept at either end: its id stands first or last. */
const keptBytes = 256;
const newline = 10;
/** Inside a text of the message its quotes would have a backslash before them. */
const firstId = /^\s*\{(?:"jsonrpc":"2\.0",)?"id":("[\w-]{1,128}"|\d{1,15})[,}]/;
const lastId = /[^\\]"id":("[\w-]{1,128}"|\d{1,15})\}\s*$/;

/**
 * The lines of a stream, each handed on whole, as one chunk. One of more than `maxBytes` is left out, however long it is
 * nothing of it is held, and told with the id of its request, where that can be seen.
 */
export function messageLines(maxBytes: number, tooLarge: (id: string | number | undefined) => void): Transform {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let dropped: { readonly head: string; tail: Buffer } | undefined;

  function take(piece: Uint8Array, stream: Transform): void {
    bytes += piece.length;
    if (dropped !== undefined) dropped.tail = Buffer.concat([dropped.tail, piece]).subarray(-keptBytes);
    else parts.push(Uint8Array.from(piece));
    if (dropped === undefined && bytes > maxBytes) {
      const whole = Buffer.concat(parts);
      const head = whole.subarray(0, keptBytes).toString('latin1');
      dropped = { head, tail: Buffer.from(whole.subarray(-keptBytes)) };
      parts = [];
    }
    if (piece.at(-1) !== newline) return;
    if (dropped === undefined) stream.push(Buffer.concat(parts));
    else tooLarge(idIn(dropped.head, dropped.tail.toString('latin1')));
    parts = [];
    bytes = 0;
    dropped = undefined;
  }

  return new Transform({
    // A line a chunk: nobody downstream is handed several at once.
    readableObjectMode: true,
    transform(chunk: Buffer, _, done) {
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(newline, from);
        const to = end < 0 ? chunk.length : end + 1;
        take(chunk.subarray(from, to), this);
        from = to;
      }
      done();
    },
  });
}

function idIn(head: string, tail: string): string | number | undefined {
  const id = firstId.exec(head)?.[1] ?? lastId.exec(tail)?.[1];
  return id === undefined ? undefined : (JSON.parse(id) as string | number);
}
