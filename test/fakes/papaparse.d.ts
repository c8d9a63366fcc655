/** The part of papaparse that tests use; it brings no types of its own. */
declare module 'papaparse' {
  interface ParseResult<Row> {
    readonly data: Row[];
    readonly errors: readonly { readonly message: string; readonly row?: number }[];
  }
  const Papa: {
    parse<Row>(text: string, options?: { readonly newline?: string; readonly delimiter?: string }): ParseResult<Row>;
    unparse(data: unknown, options?: Readonly<Record<string, unknown>>): string;
  };
  export = Papa;
}
