import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What can go wrong with one request to a service.
 * `throttle`, `error`: the service is not asked and answers so. `slow`: its answer comes late. `cut`: the connection
 * breaks before the service is asked. `lose`: the service does the work and its answer never arrives. `die-before`,
 * `die-after`: the same two, and the process that asked is gone: none of its later requests is let through. `hang`: the
 * service is not asked, and neither this nor any later request of the process is ever answered, until it is ended.
 */
export const faultKinds = ['throttle', 'error', 'slow', 'cut', 'lose', 'die-before', 'die-after', 'hang'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** One request as a fault plan sees it. */
export interface PassingRequest {
  /** From 1, since the last `restart`. */
  readonly number: number;
  /** e.g. `s3 PUT body`, `dynamodb PutItem`. */
  readonly place: string;
  /** Of the process that asked, and the function it runs, where its SDK says so (`AWS_SDK_UA_APP_ID`: name_pid). */
  readonly pid: number | undefined;
  readonly asker: string | undefined;
}

const slowMs = 150;

/** A proxy between functions and the emulated AWS that breaks what a plan wants broken. */
export class FaultProxy {
  /** Asked for every request; undefined lets it pass. */
  plan: (request: PassingRequest) => FaultKind | undefined = () => undefined;
  /** What `die-…` does besides: e.g. end the process by its id. */
  onDeath: (request: PassingRequest) => void = () => {};
  /** Places of the requests since the last `restart`, in their order. */
  readonly places: string[] = [];
  /** Ids of the processes that died; undefined: of the one that does not say who it is. */
  readonly #dead = new Set<number | undefined>();
  readonly #hanging = new Set<number | undefined>();
  readonly #target: URL;
  readonly #tables: URL;
  readonly #server: http.Server;
  readonly #agent = new http.Agent({ keepAlive: true });

  /** `tables`: another server for DynamoDB, where one stands in for it alone. */
  constructor(target: string, tables: string = target) {
    this.#target = new URL(target);
    this.#tables = new URL(tables);
    this.#server = http.createServer((request, response) => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The dead may ask again, and requests are counted from 1. */
  restart(): void {
    this.#dead.clear();
    this.#hanging.clear();
    this.places.length = 0;
  }

  get dead(): boolean {
    return this.#dead.size > 0;
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { asker, pid } = askerOf(request);
    if (this.#dead.has(pid)) {
      request.socket.destroy();
      return;
    }
    if (this.#hanging.has(pid)) return;
    const place = placeOf(request);
    this.places.push(place);
    const passing = { number: this.places.length, place, pid, asker };
    const fault = this.plan(passing);
    if (fault === 'die-before') this.#dead.add(pid);
    if (fault === 'cut' || fault === 'die-before') {
      if (fault === 'die-before') this.onDeath(passing);
      request.socket.destroy();
      return;
    }
    if (fault === 'hang') {
      this.#hanging.add(pid);
      return;
    }
    if (fault === 'throttle' || fault === 'error') {
      refuse(request, response, fault);
      return;
    }
    if (fault === 'slow') await sleep(slowMs);
    const answer = await this.#forward(request, response);
    if (fault === 'lose' || fault === 'die-after') {
      if (fault === 'die-after') this.#dead.add(pid);
      answer.resume();
      await new Promise((resolve) => answer.once('end', resolve));
      if (fault === 'die-after') this.onDeath(passing);
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  }

  #forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<http.IncomingMessage> {
    const ofTables = String(request.headers['x-amz-target']).startsWith('DynamoDB');
    const { hostname, port } = ofTables ? this.#tables : this.#target;
    return new Promise((resolve, reject) => {
      const onward = http.request(
        { hostname, port, path: request.url, method: request.method, headers: request.headers, agent: this.#agent },
        resolve,
      );
      onward.once('error', reject);
      response.once('close', () => onward.destroy());
      request.pipe(onward);
    });
  }
}

function askerOf(request: http.IncomingMessage): {
  readonly asker: string | undefined;
  readonly pid: number | undefined;
} {
  const found = /\bapp\/([\w-]+)_(\d+)/.exec(String(request.headers['user-agent']));
  return { asker: found?.[1], pid: found === null ? undefined : Number(found[2]) };
}

/** The operation, and of an object which of the two kinds. */
function placeOf(request: http.IncomingMessage): string {
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') return target.replace('DynamoDB_20120810.', 'dynamodb ');
  const url = new URL(request.url ?? '/', 'http://localhost');
  const kind = /\/(body|index)$/.exec(url.pathname)?.[1] ?? /\/(exports)\//.exec(url.pathname)?.[1];
  if (kind === undefined && !url.searchParams.has('list-type'))
    return `other ${request.method} ${url.pathname.split('/')[1] ?? ''}`;
  const part = url.searchParams.has('uploads')
    ? ' start'
    : url.searchParams.has('partNumber')
      ? ' part'
      : url.searchParams.has('uploadId')
        ? ' completion'
        : '';
  return `s3 ${request.method} ${kind ?? 'list'}${part}`;
}

function refuse(request: http.IncomingMessage, response: http.ServerResponse, fault: 'throttle' | 'error'): void {
  request.resume();
  request.once('end', () => {
    const s3 = request.headers['x-amz-target'] === undefined;
    if (s3) {
      const code = fault === 'throttle' ? 'SlowDown' : 'InternalError';
      response.writeHead(503, { 'content-type': 'application/xml', connection: 'close' });
      response.end(
        request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code><Message>injected</Message></Error>`,
      );
      return;
    }
    const name = fault === 'throttle' ? 'ThrottlingException' : 'InternalServerError';
    response.writeHead(fault === 'throttle' ? 400 : 500, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'injected' }));
  });
}
