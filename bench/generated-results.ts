/** Shapes of results that are too big to keep: they exist only as a stream. */
export const shapes = ['ndjson', 'array', 'one-string'] as const;
export type Shape = (typeof shapes)[number];

const pieceBytes = 64 * 1024;

/**
 * Yields about `bytes` bytes of a result in one reused buffer of 64 KiB. `made` is told the CPU milliseconds that
 * making the data took, so that they are not counted as the scanner's.
 */
export function* generated(shape: Shape, bytes: number, made: (ms: number) => void): Generator<Uint8Array> {
  const piece = Buffer.alloc(pieceBytes);
  if (shape === 'one-string') {
    yield piece.subarray(0, piece.write('[{"id":1,"body":"'));
    piece.fill('a long text that does not end, ');
    for (let sent = 0; sent < bytes; sent += pieceBytes) yield piece;
    yield piece.subarray(0, piece.write('"}]'));
    return;
  }
  const [open, between, close] = shape === 'ndjson' ? ['', '\n', '\n'] : ['[', ',', ']'];
  // One template filled with records; only the ids are written anew, as digits of fixed width.
  const record = (id: number) =>
    `{"id":${String(1_000_000_000 + id)},"name":"customer","amount":12.5,"address":{"city":"Lisbon","zip":"10001"},"tags":["a","b"],"open":true,"note":null}`;
  const width = record(0).length + between.length;
  const perPiece = Math.floor(pieceBytes / width);
  let text = '';
  for (let i = 0; i < perPiece; i++) text += record(i) + between;
  piece.write(text);
  let id = perPiece;
  yield Buffer.from(open);
  yield piece.subarray(0, perPiece * width - between.length);
  for (let sent = perPiece * width; sent < bytes; sent += perPiece * width) {
    const before = process.cpuUsage();
    // The separator goes first now, so that the last piece needs none after it.
    let at = 0;
    for (let i = 0; i < perPiece; i++) {
      if (i === 0) piece.write(between + record(id), 0, 'latin1');
      else {
        piece[at] = between.charCodeAt(0);
        piece.copy(piece, at + 1, 1, width);
        let digits = 1_000_000_000 + id;
        for (let digit = 9; digit >= 0; digit--) {
          piece[at + 7 + digit] = 0x30 + (digits % 10);
          digits = Math.floor(digits / 10);
        }
      }
      at += width;
      id++;
    }
    const used = process.cpuUsage(before);
    made((used.user + used.system) / 1000);
    yield piece.subarray(0, at);
  }
  yield Buffer.from(close);
}
