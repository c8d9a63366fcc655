import { type WasmGlobal, WebAssembly } from '../kernel/web-assembly.ts';
import { utf8Wasm } from './utf8-wasm.ts';

/** What `assembly/utf8.ts` exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly limit: WasmGlobal;
  readonly input: WasmGlobal;
  readonly output: WasmGlobal;
  prepare(): void;
  fromLatin1(count: number): number;
  fromUtf16(count: number): number;
}

/**
 * UTF-8 of texts, made in WebAssembly: by the engine itself it takes two to seven times as long, as soon as a text is
 * not ASCII throughout. There is one for the whole process; what it answers stands in its memory until the next call.
 */
export class Utf8Kernel {
  readonly #exports: Exports;
  readonly #memory: Buffer;
  readonly #input: number;
  readonly #output: number;
  /** Most UTF-16 code units that a text may have. */
  readonly limit: number;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(utf8Wasm, 'base64'));
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    this.#exports.prepare();
    this.#memory = Buffer.from(this.#exports.memory.buffer);
    this.#input = this.#exports.input.value;
    this.#output = this.#exports.output.value;
    this.limit = this.#exports.limit.value;
  }

  /** Of a text without characters above U+00FF; of any other it would be wrong. */
  latin1(text: string): Uint8Array {
    return this.#made(this.#exports.fromLatin1(this.#memory.write(text, this.#input, text.length, 'latin1')));
  }

  /** Of any text; half of a surrogate pair that stands alone keeps three bytes of its own (WTF-8). */
  utf16(text: string): Uint8Array {
    const bytes = this.#memory.write(text, this.#input, 2 * text.length, 'utf16le');
    return this.#made(this.#exports.fromUtf16(bytes >> 1));
  }

  #made(bytes: number): Uint8Array {
    return this.#memory.subarray(this.#output, this.#output + bytes);
  }
}

let shared: Utf8Kernel | null | undefined;

/** The process's kernel, made when it is first asked for; null where the engine cannot run it. */
export function utf8Kernel(): Utf8Kernel | null {
  if (shared === undefined) shared = madeKernel();
  return shared;
}

function madeKernel(): Utf8Kernel | null {
  // An engine that compiles nothing has none.
  if (typeof WebAssembly === 'undefined') return null;
  try {
    return new Utf8Kernel();
  } catch (error) {
    // No such instructions, or no room for its memory.
    if (error instanceof WebAssembly.CompileError || error instanceof RangeError) return null;
    throw error;
  }
}
