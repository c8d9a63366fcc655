import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EngineInput, EngineJob, EngineUpload } from '../../core/analysis/engine.ts';
import { knownTypes } from '../../core/analysis/known-types.ts';
import { locateRecord } from '../../core/scan/record-locator.ts';
import { scanBytes } from '../../core/scan/result-scanner.ts';
import { type EngineHost, runJob } from '../../lambdas/analysis-engine/run-job.ts';
import { projectRoot } from '../../lib/bundling.ts';
import { buildEnginePrograms } from '../../lib/engine-programs.ts';

/** The engine on this machine: its programs built as for the function, stored copies behind a real HTTP server. */
export class AnalysisHost {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-engine-'));
  readonly host: EngineHost;
  readonly bodies = new Map<string, Uint8Array>();
  /** Paths that were fetched, in order: what never stands here never reached an engine. */
  readonly fetched: string[] = [];
  /** Every upload that was tried, in order. */
  readonly puts: { readonly name: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  /** What the next uploads are answered instead of being taken; `cut` takes one and breaks the connection. */
  refusals: (number | 'cut')[] = [];
  readonly #server: Server;
  #port = 0;

  /** `more`: small slices, so that few records come in several. */
  constructor(memoryMiB = 2048, more: Pick<EngineHost, 'sliceBytes'> = {}) {
    buildEnginePrograms(this.folder);
    symlinkSync(path.join(projectRoot, 'node_modules'), path.join(this.folder, 'node_modules'));
    this.host = { programs: this.folder, scratch: path.join(this.folder, 'scratch'), memoryMiB, threads: 1, ...more };
    this.#server = createServer((request, response) => {
      const name = (request.url ?? '').slice(1);
      if (request.method === 'PUT') {
        void this.#take(name, request, response);
        return;
      }
      this.fetched.push(name);
      const body = this.bodies.get(name);
      response.writeHead(body === undefined ? 404 : 200);
      response.end(body);
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** What the server serves under this name, as an input of a job. */
  input(name: string, body: Uint8Array | string): EngineInput {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
    this.bodies.set(name, bytes);
    const summary = scanBytes(bytes, { previewBytes: 0, profile: true });
    return {
      name,
      url: this.url(name),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      digests: Buffer.from(summary.chunks.digests).toString('base64'),
      kind: summary.kind,
      path: summary.path,
      table: summary.table,
      recordStart: locateRecord(summary, 0)?.recordStart ?? null,
      types: knownTypes(summary),
    };
  }

  /** The right to create one object on this server, create-only as in the store. */
  upload(name: string, maxBytes = 64 * 1024 * 1024): EngineUpload {
    const headers = { 'content-type': 'application/octet-stream', 'if-none-match': '*' };
    return { url: this.url(name), headers, maxBytes };
  }

  async #take(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    this.puts.push({ name, headers: request.headers, body });
    const refusal = this.refusals.shift();
    if (typeof refusal === 'number') {
      response.writeHead(refusal).end('at https://secret.example');
      return;
    }
    const standing = this.bodies.has(name);
    if (!standing) this.bodies.set(name, body);
    if (refusal === 'cut') request.socket.destroy();
    else response.writeHead(standing ? 412 : 200).end();
  }

  url(name: string): string {
    return `http://127.0.0.1:${this.#port}/${name}`;
  }

  /** `lane`: a function runs one job at a time; jobs side by side are functions of their own. */
  run(job: Pick<EngineJob, 'inputs' | 'program'> & Partial<EngineJob>, lane = 0) {
    const host = { ...this.host, scratch: path.join(this.host.scratch, `lane-${lane}`) };
    return runJob({ chart: null, limits: { deadlineMs: 20_000, maxOutputBytes: 1024 * 1024 }, ...job }, host);
  }

  sql(text: string, inputs: readonly EngineInput[], more: Partial<EngineJob> = {}) {
    return this.run({ inputs, program: { kind: 'sql', text }, ...more });
  }

  script(text: string, inputs: readonly EngineInput[], more: Partial<EngineJob> = {}) {
    return this.run({ inputs, program: { kind: 'script', text }, ...more });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
