import { Column } from './column.ts';
import { kind } from './kind.ts';

/** The columns that the record now being read has touched: counted together at its end, or not at all. */
export class StagedRecord {
  /** The column of records that are no objects: its path is ''. */
  readonly whole: Column;
  /** Takes the values of keys that have no column. */
  readonly discarded = new Column('', null, new Uint8Array(0));
  private touched: Column[] = [];
  private count = 0;
  private stamp = 0;

  constructor() {
    this.whole = new Column('', null, new Uint8Array(0));
  }

  begin(): void {
    this.stamp += 1;
    this.count = 0;
  }

  /** Registers the column for this record; a repeated key forgets what its first value staged. */
  touch(column: Column): Column {
    if (column.stamp === this.stamp) {
      if (column.kind === kind.object) this.forgetInside(column);
      column.forget();
      return column;
    }
    column.stamp = this.stamp;
    if (column === this.discarded) return column;
    this.touched[this.count] = column;
    this.count += 1;
    return column;
  }

  commit(bytes: Uint8Array): void {
    const { touched, count } = this;
    for (let index = 0; index < count; index += 1) (touched[index] as Column).commit(bytes);
  }

  private forgetInside(column: Column): void {
    if (column.inside === null) return;
    for (const inner of column.inside.values()) {
      if (inner.stamp !== this.stamp) continue;
      if (inner.kind === kind.object) this.forgetInside(inner);
      inner.forget();
    }
  }
}
