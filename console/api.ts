import type { Basis } from '../core/basis/basis.ts';
import type { ResultLink } from '../core/http/links.ts';
import type {
  CatalogResponse,
  CatalogRow,
  ChatResponse,
  ChatRow,
  ChatsResponse,
  RunResponse,
  TurnResponse,
  ViewResponse,
  ViewTable,
} from '../core/http/responses.ts';

export type {
  Basis,
  CatalogResponse,
  CatalogRow,
  ChatResponse,
  ChatRow,
  ChatsResponse,
  ResultLink,
  RunResponse,
  TurnResponse,
  ViewResponse,
  ViewTable,
};

/** Addresses are relative to the page's own base: the console works under any path prefix. */
const base = new URL('.', document.baseURI);

export function address(path: string): string {
  return new URL(path, base).href;
}

/** An answer that is not a success, with the service's own words. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const api = {
  chats: (cursor: string | null, signal: AbortSignal) =>
    call<ChatsResponse>('GET', `chats${cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`}`, { signal }),
  chat: (session: string, signal: AbortSignal) => call<ChatResponse>('GET', `chats/${session}`, { signal }),
  deleteChat: (session: string) => call<unknown>('DELETE', `chats/${session}`, {}),
  catalog: (cursor: string | null, signal: AbortSignal) =>
    call<CatalogResponse>('GET', `catalog${cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`}`, {
      signal,
    }),
  view: (ref: string, signal: AbortSignal) => call<ViewResponse>('GET', `results/${ref}/view`, { signal }),
  run: (runId: string, signal: AbortSignal) => call<RunResponse>('GET', `runs/${runId}`, { signal }),
  start: (body: {
    readonly agent: string;
    readonly message: string;
    readonly session?: string;
    readonly idempotencyKey: string;
  }) => call<{ readonly runId: string; readonly session: string }>('POST', 'runs', { body }),
  signOut: () => call<{ readonly location: string }>('POST', 'auth/logout', {}),
};

/** Leaves for the sign-in page. It comes back to the console, which finds its own place again. */
export function signIn(): void {
  sessionStorage.setItem('place', location.hash);
  location.assign(address('auth/login'));
}

async function call<T>(
  method: string,
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal },
): Promise<T> {
  const response = await fetch(address(path), {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    // A redirect here would be a mistake, and must not carry anything along.
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const value: unknown = text === '' ? {} : JSON.parse(text);
  if (response.ok) return value as T;
  const { code = 'Fault', message = 'That did not work.' } = value as { code?: string; message?: string };
  throw new Refused(response.status, code, message);
}
