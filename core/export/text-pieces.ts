/** Text is encoded in runs of this many characters: one call a run instead of one a row. */
const runCharacters = 16 * 1024;
/** Bytes of one piece: each costs its receiver a system call or a turn of the event loop. */
const pieceBytes = 256 * 1024;

/** Gathers short texts and hands them on as UTF-8 pieces, encoded into one reused buffer. */
export class TextPieces {
  private readonly take: (piece: Uint8Array) => Promise<void> | undefined;
  private readonly buffer = Buffer.allocUnsafeSlow(pieceBytes);
  private filled = 0;
  private text = '';

  /** `take` may keep a piece only until the promise that it answers resolves. */
  constructor(take: (piece: Uint8Array) => Promise<void> | undefined) {
    this.take = take;
  }

  /** A promise comes only when a piece is full: wait for it before the next `add`. */
  add(text: string): Promise<void> | undefined {
    this.text += text;
    return this.text.length < runCharacters ? undefined : this.encode();
  }

  /** Hands on what is left. */
  flush(): Promise<void> | undefined {
    const waiting = this.encode();
    return waiting === undefined ? this.hand() : waiting.then(() => this.hand());
  }

  private encode(): Promise<void> | undefined {
    const { text } = this;
    if (text === '') return undefined;
    // UTF-8 takes at most three bytes for each UTF-16 unit.
    const most = text.length * 3;
    if (this.filled + most <= pieceBytes) {
      this.text = '';
      this.filled += this.buffer.write(text, this.filled, 'utf8');
      return undefined;
    }
    if (this.filled > 0) return this.hand()?.then(() => this.encode()) ?? this.encode();
    this.text = '';
    return this.take(Buffer.from(text, 'utf8'));
  }

  private hand(): Promise<void> | undefined {
    if (this.filled === 0) return undefined;
    const piece = this.buffer.subarray(0, this.filled);
    this.filled = 0;
    return this.take(piece);
  }
}
