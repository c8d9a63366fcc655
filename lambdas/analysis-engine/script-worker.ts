import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  type CustomizeVariantOptions,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { maxDepth, readValueText } from '../../core/analysis/value-text.ts';
import { prelude } from './script-prelude.ts';

export interface ScriptWork {
  readonly inputs: readonly { readonly name: string; readonly file: string }[];
  readonly script: string;
  /** Of the whole value as JSON text. */
  readonly maxOutputBytes: number;
  /** Of the items of a list that are shown where the whole is more. */
  readonly maxShownBytes: number;
  readonly memoryMiB: number;
  /** Where the script is asked to stop; the worker itself is ended a little later, whatever happens. */
  readonly softDeadlineMs: number;
}

export type ScriptAnswer =
  /** `items`: of a list, how many, and as JSON text those that may be shown. */
  | {
      readonly ok: true;
      readonly text: string;
      readonly items: { readonly count: number; readonly shown: string } | null;
    }
  | { readonly ok: false; readonly limit: 'time' | 'memory' | 'output' | null; readonly message: string };

const batchBytes = 256 * 1024;
const pageBytes = 64 * 1024;
const maxMessage = 500;
/** Walks over rows that are open at once. */
const maxReaders = 100;

const work = workerData as ScriptWork;
async function run(): Promise<ScriptAnswer> {
  const deadline = Date.now() + work.softDeadlineMs;
  // The second cap is the memory itself: no setting of the runtime inside can grow it.
  const pages = Math.ceil(((work.memoryMiB + 32) * 1024 * 1024) / pageBytes);
  const module = await newQuickJSWASMModuleFromVariant(
    // The package's types say "module" where its ES module has the variant itself as the default.
    newVariant(variant as unknown as QuickJSSyncVariant, {
      wasmBinary: wasmFile(),
      wasmMemory: wasmMemory({ initial: 256, maximum: Math.max(256, pages) }),
    }),
  );
  const runtime = module.newRuntime({ memoryLimitBytes: work.memoryMiB * 1024 * 1024, maxStackSizeBytes: 256 * 1024 });
  runtime.setInterruptHandler(() => Date.now() > deadline);
  const context = runtime.newContext();
  const feed = new Batches(work.inputs);
  giveHost(context, feed);
  const prepared = context.evalCode(prelude, 'prelude.js');
  if (prepared.error !== undefined) return { ok: false, limit: null, message: 'script: the engine did not start' };
  // Closing the wrapper from inside stays in the guest; a script is statements that end with return.
  const answer = context.evalCode(`__finish((() => {"use strict";\n${work.script}\n})())`, 'script.js');
  // Nothing is disposed: after an overflow that would end the module; the worker is thrown away as it is.
  if (answer.error !== undefined) return failure(context, answer.error, deadline);
  return checked(context.typeof(answer.value) === 'string' ? context.getString(answer.value) : '');
}

/** What comes out of the guest is only said to be JSON, and short enough. */
function checked(text: string): ScriptAnswer {
  if (text.length > work.maxOutputBytes) {
    const most = work.maxOutputBytes;
    return limited('output', `script: the result has ${text.length} characters, at most ${most} are kept`);
  }
  const value = readValueText(text, work.maxShownBytes);
  if (value.fault === null) return { ok: true, text, items: value.items };
  const [expected, found] = {
    syntax: ['a value that JSON can hold', 'another text'],
    depth: [`at most ${maxDepth} lists and objects inside one another`, 'more'],
  }[value.fault] as [string, string];
  return { ok: false, limit: null, message: `script: expected ${expected}, found ${found}` };
}

/** Node's own types name no WebAssembly memory. */
function wasmMemory(pages: { readonly initial: number; readonly maximum: number }) {
  type Made = NonNullable<CustomizeVariantOptions['wasmMemory']>;
  const scope = globalThis as unknown as { WebAssembly: { Memory: new (of: object) => Made } };
  return new scope.WebAssembly.Memory(pages);
}

function giveHost(context: QuickJSContext, feed: Batches): void {
  const batch = context.newFunction('batch', (name, reader) => {
    try {
      return context.newString(feed.next(context.getString(name), context.getNumber(reader)));
    } catch (error) {
      // What the host's own failure says is not for the guest.
      const said =
        error instanceof TooManyWalks ? `more than ${maxReaders} walks at once` : 'the records could not be read';
      return { error: context.newError(`rows: ${said}`) };
    }
  });
  context.setProp(context.global, '__batch', batch);
  context.setProp(context.global, '__names', context.newString(JSON.stringify(work.inputs.map(({ name }) => name))));
  context.setProp(context.global, '__limit', context.newNumber(work.maxOutputBytes));
}

function failure(
  context: QuickJSContext,
  error: Parameters<QuickJSContext['dump']>[0],
  deadline: number,
): ScriptAnswer {
  const said = errorText(context, error);
  if (Date.now() > deadline || /\binterrupted\b/.test(said)) return limited('time', 'script: it took too long');
  if (/out of memory/.test(said) || said === 'null') return limited('memory', 'script: out of memory');
  if (/^RangeError: script: the result has/.test(said)) return limited('output', said.replace('RangeError: ', ''));
  return { ok: false, limit: null, message: `script: ${said}` };
}

const limited = (limit: 'time' | 'memory' | 'output', message: string): ScriptAnswer => ({ ok: false, limit, message });

/** Name, message and line, asked for inside the guest, so that no getter of it runs in a walk of the host. */
function errorText(context: QuickJSContext, error: Parameters<QuickJSContext['dump']>[0]): string {
  context.setProp(context.global, '__error', error);
  const text = context.evalCode(
    `(() => { const e = globalThis.__error; if (e === null) return 'null'; if (typeof e !== 'object') return 'it threw ' + String(e);
      const line = /script\\.js:(\\d+)/.exec(String(e.stack)); 
      return String(e.name) + ': ' + String(e.message) + (line && line[1] > 1 ? ' (line ' + (line[1] - 1) + ')' : ''); })()`,
    'error.js',
  );
  if (text.error !== undefined) return 'null';
  const said = context.typeof(text.value) === 'string' ? context.getString(text.value) : 'it failed';
  return said.slice(0, maxMessage);
}

function wasmFile(): ArrayBuffer {
  const bytes = readFileSync(new URL('./emscripten-module.wasm', import.meta.url));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

class TooManyWalks extends Error {}

/** Whole lines of a file in pieces of about 256 KiB; every walk over the rows has a place of its own. */
class Batches {
  readonly #files: ReadonlyMap<string, string>;
  readonly #open = new Map<number, { readonly descriptor: number; rest: Buffer; done: boolean }>();

  constructor(inputs: ScriptWork['inputs']) {
    this.#files = new Map(inputs.map(({ name, file }) => [name, file]));
  }

  /** Empty at the end of the file, and for no name, which ends the walk before. */
  next(name: string, reader: number): string {
    const file = this.#files.get(name);
    if (file === undefined) return this.#close(reader);
    let place = this.#open.get(reader);
    if (place === undefined) {
      if (this.#open.size >= maxReaders) throw new TooManyWalks();
      place = { descriptor: openSync(file, 'r'), rest: Buffer.alloc(0), done: false };
      this.#open.set(reader, place);
    }
    let text = place.rest;
    while (!place.done) {
      const piece = Buffer.allocUnsafe(batchBytes);
      const read = readSync(place.descriptor, piece, 0, batchBytes, null);
      if (read === 0) place.done = true;
      text = Buffer.concat([text, piece.subarray(0, read)]);
      const end = text.lastIndexOf(0x0a);
      if (end < 0) continue;
      place.rest = Buffer.from(text.subarray(end + 1));
      return text.toString('utf8', 0, end);
    }
    place.rest = Buffer.alloc(0);
    return text.toString('utf8');
  }

  #close(reader: number): '' {
    const place = this.#open.get(reader);
    if (place !== undefined) closeSync(place.descriptor);
    this.#open.delete(reader);
    return '';
  }
}

// Last: the class above has to be there first.
parentPort?.postMessage(await run());
