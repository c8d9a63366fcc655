/**
 * Receives each record of the list of rows while a result is scanned. `buffer[start, end)` are the record's own
 * bytes, whole, valid only during the call. A record wider than the scanner's cap is reported by `wide` instead.
 */
export interface RecordSink {
  record(buffer: Uint8Array, start: number, end: number): void;
  wide(bytes: number): void;
  /**
   * Reads, checks and counts whole records of `b[from, to)` by itself, from where one starts: those that start before
   * `stop`, each with the comma (or the line feed) behind it, up to the first that is not ordinary. `base` is the offset
   * of the buffer's first byte. Null where the sink cannot.
   */
  run?(b: Uint8Array, base: number, from: number, to: number, stop: number, lines: boolean): RecordRun | null;
}

/** What a sink read by itself; valid until its next call. */
export interface RecordRun {
  /** Records counted. */
  readonly count: number;
  /** Offset in the body of the first of them. */
  readonly firstStart: number;
  /** Where it stopped in the buffer: after the last one's separator. */
  readonly end: number;
  /** A line feed stood between tokens, in this run or in one before. */
  readonly sawLineFeed: boolean;
  /** Offset in the body before which another try is not worth it. */
  readonly restUntil: number;
}
