import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** `lose`: the server does the work and its answer never arrives. A code: the server is not asked at all. */
export type Fault = 'lose' | { readonly status: number; readonly code: string; readonly message?: string };

/** A proxy before a real S3 server that breaks what a test wants broken. */
export class FaultyProxy {
  readonly requests: ProxiedRequest[] = [];
  /** Asked for every request; undefined lets it pass. */
  fault: (request: ProxiedRequest) => Fault | undefined = () => undefined;
  readonly #target: URL;
  readonly #server: http.Server;

  constructor(target: string) {
    this.#target = new URL(target);
    this.#server = http.createServer((request, response) => this.#handle(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const url = new URL(request.url ?? '/', this.#target);
    const seen = { method: request.method ?? '', path: url.pathname, query: url.searchParams };
    this.requests.push(seen);
    const fault = this.fault(seen);
    if (typeof fault === 'object') {
      request.resume();
      request.once('end', () => {
        response.writeHead(fault.status, { 'content-type': 'application/xml', connection: 'close' });
        const text = `<Error><Code>${fault.code}</Code><Message>${fault.message ?? ''}</Message></Error>`;
        response.end(seen.method === 'HEAD' ? undefined : text);
      });
      return;
    }
    const { hostname, port } = this.#target;
    const onward = http.request(
      { hostname, port, path: request.url, method: request.method, headers: request.headers },
      (answer) => {
        if (fault === 'lose') {
          answer.resume();
          answer.once('end', () => request.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  }
}
