import type { PlannedColumn } from '../../core/analysis/planned-columns.ts';

/** What the SQL process is told, in this order: the query, the tables' records, the start. It has nothing else. */
export type SqlMessage = SqlQuery | SqlSlice | SqlFile | { readonly kind: 'start' };

export interface SqlQuery {
  readonly kind: 'query';
  readonly sql: string;
  readonly tables: readonly string[];
  readonly maxOutputBytes: number;
  /** All rows go to descriptor 4 too, up to so many bytes; null: they are not kept. */
  readonly keepBytes: number | null;
  /** Load only columns that the query names, where it cannot see others. */
  readonly narrow: boolean;
}

/** Some records of a table whose columns are known ahead; in order. */
export interface SqlSlice {
  readonly kind: 'slice';
  readonly table: string;
  readonly file: string;
  readonly columns: readonly PlannedColumn[];
  /** Bytes of the longest line. */
  readonly longest: number;
}

/** All records of a table whose columns are to be found. */
export interface SqlFile {
  readonly kind: 'file';
  readonly table: string;
  readonly file: string;
  /** All cells are text that may stand for numbers. */
  readonly textCells: boolean;
  /** The columns of a table without records, which has no types to find; null where there are records. */
  readonly empty: readonly string[] | null;
  readonly longest: number;
}

export interface SqlTable {
  readonly name: string;
  readonly records: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export type SqlAnswer =
  | {
      readonly ok: true;
      readonly columns: SqlTable['columns'];
      readonly rows: readonly (readonly string[])[];
      readonly rowCount: number;
      /** All rows went to descriptor 4. */
      readonly kept: boolean;
      readonly tables: readonly SqlTable[];
    }
  | {
      readonly ok: false;
      /** Where it failed: reading the records, before or in the query. */
      readonly stage: 'load' | 'gate' | 'query';
      readonly message: string;
      readonly tables: readonly SqlTable[];
      /** Some columns were not loaded. */
      readonly narrow: boolean;
    };
