import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogResponse, CatalogRow, RunResponse } from '../core/http/responses.ts';

/** The service's HTTP interface, used as any program would: with a bearer token. */
export class ServiceClient {
  readonly baseUrl: string;
  readonly #token: string;

  constructor(baseUrl: string, token: string) {
    this.baseUrl = baseUrl;
    this.#token = token;
  }

  /** One request, redirects not followed. `path` goes out byte for byte. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${this.#token}`);
    return fetch(`${this.baseUrl}${path}`, { redirect: 'manual', ...init, headers });
  }

  async startRun(body: {
    readonly agent: string;
    readonly message: string;
    readonly session?: string;
    readonly idempotencyKey?: string;
  }): Promise<{ readonly runId: string; readonly session: string }> {
    const response = await this.request('/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: randomUUID(), ...body }),
    });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`POST /runs answered ${response.status}: ${text}`);
    return JSON.parse(text) as { runId: string; session: string };
  }

  async run(runId: string): Promise<RunResponse> {
    const response = await this.request(`/runs/${runId}`);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET /runs/${runId} answered ${response.status}: ${text}`);
    return JSON.parse(text) as RunResponse;
  }

  /** Polls until the run has ended, well or badly; throws after `timeoutMs`. */
  async finished(runId: string, timeoutMs = 120_000): Promise<RunResponse> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      const run = await this.run(runId);
      if (run.status !== 'admitted') return run;
      await sleep(250);
    }
    throw new Error(`run ${runId} did not end within ${timeoutMs / 1000} s`);
  }

  /** Asks an agent and waits for the end of the run. */
  async ask(agent: string, message: string, session?: string): Promise<RunResponse> {
    const { runId } = await this.startRun({ agent, message, ...(session === undefined ? {} : { session }) });
    return this.finished(runId);
  }

  async catalog(): Promise<readonly CatalogRow[]> {
    const response = await this.request('/catalog');
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET /catalog answered ${response.status}: ${text}`);
    return (JSON.parse(text) as CatalogResponse).results;
  }

  /** A download as a person's click does it: the link, then the short-lived object address it leads to. */
  async download(link: string): Promise<{ readonly response: Response; readonly body: Uint8Array }> {
    const path = link.startsWith(this.baseUrl) ? link.slice(this.baseUrl.length) : link;
    const first = await this.request(path);
    const target = first.headers.get('location');
    if (first.status !== 302 || target === null) {
      return { response: first, body: new Uint8Array(await first.arrayBuffer()) };
    }
    const second = await fetch(target);
    return { response: second, body: new Uint8Array(await second.arrayBuffer()) };
  }
}
