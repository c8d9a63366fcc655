import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClaimcheckError } from '../../../core/errors.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import { References } from '../../../core/wrap/references.ts';
import { inProcessEngine } from '../../../engine/in-process.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { frameworks, type Setup } from './agents.ts';
import { filesOf, picture } from './picture.ts';

/**
 * Runs one framework (first argument) through the faults that others are known for and prints what the model was sent,
 * as JSON. A process of its own, since these packages are ES modules only.
 */
const name = process.argv[2] ?? '';
const agent = frameworks[name] as NonNullable<(typeof frameworks)[string]>;
const rows = (page: number, count = 5_000) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    page,
    price: "$& $' $1",
    note: id === count - 1 ? 'the last one' : '',
  }));

async function scenario(
  setup: Omit<Setup, 'references' | 'context' | 'windowTokens'> &
    Partial<Setup> & { failing?: boolean; analysis?: boolean },
) {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-scenario-'));
  const files = new FileResultStore(folder);
  const writes = { now: 0, most: 0 };
  const store = counted(setup.failing === true ? refusing(files) : files, writes);
  const analysis = setup.analysis === true ? await inProcessEngine({ store }) : undefined;
  const references = new References({ store, catalogue: new FileCatalogue(folder), ...(analysis && { analysis }) });
  const context = () => ({ owner: 'ada', session: 'scenario' });
  try {
    const requests = await agent({ references, context, windowTokens: 200_000, ...setup });
    const last = requests.at(-1) ?? '';
    const stored = readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith('body')).length;
    const sizes = requests.map((request) => Buffer.byteLength(request));
    const { most } = writes;
    return {
      last: last.replaceAll('\\', ''),
      bytes: Math.max(...sizes),
      sizes,
      stored,
      requests: requests.length,
      most,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts the uploads that are on their way at once; each takes a little longer than a fast disk would. */
function counted(store: ResultStore, writes: { now: number; most: number }): ResultStore {
  const putBody: ResultStore['putBody'] = async (...args) => {
    writes.now += 1;
    writes.most = Math.max(writes.most, writes.now);
    try {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return await store.putBody(...args);
    } finally {
      writes.now -= 1;
    }
  };
  return new Proxy(store, {
    get: (target, key) =>
      key === 'putBody' ? putBody : (target[key as keyof ResultStore] as () => unknown).bind(target),
  });
}

function refusing(store: ResultStore): ResultStore {
  const putBody = async () => {
    throw new ClaimcheckError('StorageUnavailable', 'storage: refused');
  };
  return new Proxy(store, {
    get: (target, key) =>
      key === 'putBody' ? putBody : (target[key as keyof ResultStore] as () => unknown).bind(target),
  });
}

const call = (page: number, id = `use-${page}`) => ({ id, tool: 'rows', input: { page } });
const once = (number: number) => (number === 0 ? call(1) : 'end');
const refs = (request: string) =>
  [...request.matchAll(/ref\W{1,8}([0-9a-f]{32}\/[0-9a-f]{32})/g)].map(([, ref]) => ref as string);
const readLast = (request: string, at: number) => ({
  id: 'read',
  tool: 'read_result',
  input: { ref: refs(request).at(at), offset: 4_999 },
});

const analyse = (ref: string, where: string) => ({
  id: 'analyse',
  tool: 'analyze_result',
  input: { inputs: { data: ref }, sql: `SELECT count(*) AS n, max(id) AS id FROM data WHERE ${where}` },
});

let executed = 0;
let overflows = 0;
const facts = {
  small: await scenario({ tool: () => 'a small answer', model: once }),
  noContext: await scenario({ context: () => undefined, tool: ({ page }) => rows(page), model: once }),
  failing: await scenario({ failing: true, tool: ({ page }) => rows(page), model: once }),
  error: await scenario({
    tool: () => {
      throw new Error(`broken ${'E'.repeat(400_000)}`);
    },
    model: once,
  }),
  /** The same, when it is not known whose call it is. */
  errorNoContext: await scenario({
    context: () => undefined,
    tool: () => {
      throw new Error(`broken ${'E'.repeat(400_000)}`);
    },
    model: once,
  }),
  sameId: await scenario({
    tool: ({ page }) => rows(page),
    model: (number, request) => (number < 2 ? call(number + 1, 'use-1') : number === 2 ? readLast(request, 0) : 'end'),
  }),
  /** One message with 200 calls, each over its budget. */
  parallel: await scenario({
    windowTokens: 4_000_000,
    tool: ({ page }) => rows(page, 700),
    model: (number) => (number === 0 ? Array.from({ length: 200 }, (_, page) => call(page)) : 'end'),
  }),
  repeat: await scenario({
    tool: ({ page }) => {
      executed += 1;
      return rows(page);
    },
    model: (number) => (number < 6 ? call(1, `use-${number}`) : 'end'),
  }),
  overflow: await scenario({
    tool: ({ page }) => rows(page),
    model: (number) => {
      if (number === 3) {
        overflows += 1;
        throw new Error('prompt is too long: 250000 tokens > 200000 maximum');
      }
      return number < 3 ? call(number + 1) : 'end';
    },
  }),
  analysis: await scenario({
    analysis: true,
    tool: ({ page }) => rows(page),
    model: (number, request) =>
      number === 0 ? call(1) : number === 1 ? analyse(refs(request).at(-1) ?? '', `note = 'the last one'`) : 'end',
  }),
  notAnalysed: await scenario({
    analysis: true,
    tool: ({ page }) => rows(page),
    model: (number) => (number === 0 ? analyse(`${'0'.repeat(32)}/${'1'.repeat(32)}`, 'true') : 'end'),
  }),
  notRead: await scenario({
    tool: ({ page }) => rows(page),
    model: (number) =>
      number === 0 ? { id: 'read', tool: 'read_result', input: { ref: `${'0'.repeat(32)}/${'1'.repeat(32)}` } } : 'end',
  }),
  /** An image beside a text that does not fit, as this framework has them. */
  picture: await scenario({ tool: () => picture(name), model: once }),
  /** The same, small enough to stay until the guard takes its words out. */
  guardedPicture: await scenario({
    // A file costs the guard 4,600 tokens, and stays.
    windowTokens: 45_000,
    tool: () => picture(name, 20_000),
    model: (number) => (number < 2 ? call(number + 1, 'use-1') : 'end'),
  }),
  /** Under the budget each; base64 and Chinese cost more tokens than characters by four. */
  dense: await scenario({
    windowTokens: 30_000,
    tool: ({ page }) => (page % 2 === 0 ? '漢字'.repeat(3_800) : Buffer.alloc(17_000, page * 37).toString('base64')),
    model: (number) => (number < 4 ? call(number + 1) : 'end'),
  }),
};
process.stdout.write(JSON.stringify({ ...facts, files: filesOf(name), executed, overflows }), () => process.exit(0));
