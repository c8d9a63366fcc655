import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { References } from '../core/wrap/references.ts';
import { FileCatalogue } from '../files/file-catalogue.ts';
import { FileResultStore } from '../files/file-result-store.ts';

/** About 5 MB of orders on one line; the one that the question is about is the last. */
export const orderCount = 42_000;

export function orders(page: number): { readonly total: number; readonly orders: readonly unknown[] } {
  const rows = Array.from({ length: orderCount }, (_, id) => ({
    id,
    page,
    customer: `customer ${id}`,
    status: id === orderCount - 1 ? 'lost' : 'sent',
    amount: (id * 7919) % 100_000,
    address: `${id % 200} Long Street, second floor`,
  }));
  return { total: orderCount, orders: rows };
}

/** What a run of an example found out. */
export interface Facts {
  readonly framework: string;
  /** Bytes of the tool's result, and of everything that the model was sent last. */
  readonly resultBytes: number;
  readonly contextBytes: number;
  /** What the same conversation would have held with the results themselves in it. */
  readonly contextBytesBefore: number;
  /** What the model's own tool read of the stored result. */
  readonly lastRecord: string;
  /** Earlier results that the guard had replaced in the last request. */
  readonly replaced: number;
  /** The agent's own messages hold none of these replacements. */
  readonly liveUnchanged: boolean;
}

/** A store in a folder of its own, gone when the process ends. */
export function exampleReferences(): References {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-example-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
}

export type Move =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly text: string };

/** A model that asks for every page, then for the last record of the last one, and answers with what it has read. */
export class OrdersScript {
  readonly requests: string[] = [];
  readonly #pages: number;
  #turn = 0;
  /** Bytes of all results as they stand in a request: text inside JSON. */
  results = 0;

  constructor(pages: number) {
    this.#pages = pages;
  }

  /** The next move, from everything that the model was sent. */
  next(request: string): Move {
    this.requests.push(request);
    this.#turn += 1;
    if (this.#turn <= this.#pages) {
      this.results += Buffer.byteLength(JSON.stringify(JSON.stringify(orders(this.#turn))));
      return { tool: 'orders', input: { page: this.#turn } };
    }
    if (this.#turn > this.#pages + 1) return { text: 'The last order is lost.' };
    const refs = [...request.matchAll(/ref\W{1,8}([0-9a-f]{32}\/[0-9a-f]{32})/g)];
    return { tool: 'read_result', input: { ref: refs.at(-1)?.[1] ?? '', offset: orderCount - 1 } };
  }
}

/** `--window N` and `--pages N`, for trying the guard: a small window and several results. */
export function exampleArguments(): { readonly windowTokens: number; readonly pages: number } {
  const after = (name: string, standard: number): number => {
    const at = process.argv.indexOf(name);
    return at < 0 ? standard : Number(process.argv[at + 1]);
  };
  return { windowTokens: after('--window', 200_000), pages: after('--pages', 1) };
}

export function factsOf(framework: string, script: OrdersScript, live: unknown): Facts {
  const last = script.requests.at(-1) ?? '';
  const replaced = [...last.matchAll(/\[full result stored: ref/g)].length;
  const shown = /"?data\\*"?:\[(.{0,400}?lost.{0,200}?)\]/.exec(last)?.[1] ?? '';
  return {
    framework,
    resultBytes: Buffer.byteLength(JSON.stringify(orders(1))),
    contextBytes: Buffer.byteLength(last),
    contextBytesBefore: Buffer.byteLength(script.requests[0] ?? '') + script.results,
    lastRecord: shown.replaceAll('\\', ''),
    replaced,
    liveUnchanged: !JSON.stringify(live).includes('[full result stored: ref'),
  };
}
