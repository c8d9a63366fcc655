/** A value that JSON text can hold. Numbers beyond 2^53 lose digits here: code that must keep them works on bytes. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };
