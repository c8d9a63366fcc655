/** The part of WebAssembly's JavaScript interface that is used: the type library of a server program lacks it. */
export interface WasmGlobal {
  readonly value: number;
}

interface WebAssemblyInterface {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, (...args: number[]) => number>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly Global: new (...args: never[]) => WasmGlobal;
  readonly CompileError: new (message?: string) => Error;
}

/** Undefined in an engine that was started without it (`node --jitless`). */
export const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface };
