import { Column } from './column.ts';
import { DistinctCounter } from './distinct-counter.ts';
import { hashBytes, lanes } from './value-hash.ts';

/** Keys longer than this (bytes) get no column: they would be the data, not its names. */
const keyBytes = 256;

/** How many columns there are in all trees of one profile, and which could not have one. */
export class ColumnBudget {
  readonly columns: Column[] = [];
  /** Grows with every column, every tree of columns and every new spelling of a key. */
  version = 0;
  private readonly limit: number;
  private readonly refused = new DistinctCounter();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Columns past the limit; an estimate beyond the exact count of `DistinctCounter`. */
  get leftOut(): number {
    return this.refused.count;
  }

  /** As `Column.settle`, for all of them. */
  settle(): void {
    for (const column of this.columns) column.settle();
  }

  admit(key: string, parent: Column | null, spelling: Uint8Array, parentNumber: number): Column | null {
    if (this.columns.length >= this.limit || spelling.length > keyBytes) {
      hashBytes(spelling, 0, spelling.length, parentNumber);
      this.refused.add(lanes.hash1, lanes.hash2);
      return null;
    }
    const column = new Column(key, parent, new Uint8Array(spelling));
    this.columns.push(column);
    this.version += 1;
    return column;
  }
}

/** The columns of one object: the record itself, or an object inside it. A Map, so `__proto__` is a key like any. */
export class ColumnTree {
  readonly depth: number;
  /** The column that came first in the last record. */
  first: Column | null = null;
  private readonly byKey = new Map<string, Column>();
  private readonly parent: Column | null;
  private readonly budget: ColumnBudget;
  private readonly number: number;

  constructor(budget: ColumnBudget, parent: Column | null, depth: number) {
    this.budget = budget;
    this.parent = parent;
    this.depth = depth;
    budget.version += 1;
    this.number = parent === null ? 0 : budget.columns.indexOf(parent) + 1;
  }

  /** The column of a key, made when it is new; null past the limit. `spelling` is the key's raw bytes and closing quote. */
  column(key: string, spelling: Uint8Array): Column | null {
    const known = this.byKey.get(key);
    if (known !== undefined) {
      if (known.spelling.length !== spelling.length || Buffer.compare(known.spelling, spelling) !== 0) {
        known.spelling = new Uint8Array(spelling);
        this.budget.version += 1;
      }
      return known;
    }
    const column = this.budget.admit(key, this.parent, spelling, this.number);
    if (column !== null) this.byKey.set(key, column);
    return column;
  }

  values(): Iterable<Column> {
    return this.byKey.values();
  }
}
