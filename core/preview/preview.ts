/** The whole records (or lines) that fit a byte budget, as the exact text a model gets. */
export interface Preview {
  /** Parses for JSON kinds; the tool's own bytes, never re-serialised. */
  readonly text: string;
  /** UTF-8 bytes of `text`. */
  readonly bytes: number;
  /** Whole records (lines) shown, a contiguous prefix. */
  readonly shown: number;
  /** `text` is the full value. */
  readonly complete: boolean;
  /** Set when not one record fits: the size of the first. */
  readonly firstRecordBytes?: number;
  /** A value in `text` is visibly shortened; such a record is not counted in `shown`. */
  readonly shortened: boolean;
}
