/** `dynalite` ships no types: a DynamoDB server over Node's HTTP server. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  function dynalite(options?: {
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
    readonly maxItemSizeKb?: number;
    readonly path?: string;
  }): Server;
  export = dynalite;
}
