/**
 * Receives each record of the list of rows while a result is scanned. `buffer[start, end)` are the record's own
 * bytes, whole, valid only during the call. A record wider than the scanner's cap is reported by `wide` instead.
 */
export interface RecordSink {
  record(buffer: Uint8Array, start: number, end: number): void;
  wide(bytes: number): void;
}
