import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { eitherHttp } from './either-http.ts';
import { eventMessages, eventStreamType, exceptionMessage } from './event-stream.ts';
import { PromptCache } from './prompt-cache.ts';
import { replyTo, windowOf } from './reply.ts';
import { parseRequest, Refusal } from './request.ts';

export interface ModelServerOptions {
  /** 0 or absent: a free port. */
  readonly port?: number;
  /** Window of models whose id names none, in tokens. */
  readonly windowTokens?: number;
  /** Each request is appended here as one JSON line: `{modelId, request, streamed?, reply | refusal}`. */
  readonly record?: string;
  /** Refuse within the stream, as its first message, what is asked by ConverseStream: the service does either. */
  readonly refuseInStream?: boolean;
}

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

const bodyLimit = 25 * 1024 * 1024;

/** Starts the scripted model on 127.0.0.1: `POST /model/<id>/converse` and `…/converse-stream` of Bedrock's runtime. */
export function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const cache = new PromptCache();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const route = /^\/model\/([^/]+)\/converse(-stream)?$/.exec(request.url ?? '');
    const streams = route?.[2] !== undefined;
    try {
      const body = await readBody(request);
      if (request.method !== 'POST' || route === null) {
        throw new Refusal('UnknownOperationException', `No such operation: ${request.method} ${request.url}`, 404);
      }
      const modelId = decodeURIComponent(route[1] ?? '');
      const reply = handle(modelId, body, streams);
      if (streams) stream(response, eventMessages(reply));
      else send(response, 200, reply);
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : new Refusal('InternalServerException', 'The scripted model failed.', 500);
      if (refusal !== error)
        process.stderr.write(`scripted model: ${String(error instanceof Error ? error.stack : error)}\n`);
      if (streams && options.refuseInStream === true) return stream(response, [exceptionMessage(refusal)]);
      response.setHeader('x-amzn-errortype', refusal.name);
      send(response, refusal.status, { message: refusal.message });
    }
  };
  const handle = (modelId: string, body: string, streamed: boolean) => {
    const way = streamed ? { streamed } : {};
    try {
      const reply = replyTo(parseRequest(modelId, body), windowOf(modelId, options.windowTokens ?? 200_000), cache);
      record(options.record, modelId, body, { ...way, reply });
      return reply;
    } catch (error) {
      if (error instanceof Refusal) {
        record(options.record, modelId, body, { ...way, refusal: { name: error.name, message: error.message } });
      }
      throw error;
    }
  };
  const { server, closeAll } = eitherHttp((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port ?? 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve({
        url: `http://127.0.0.1:${port}`,
        port,
        stop: () =>
          new Promise((done) => {
            server.close(() => done());
            closeAll();
          }),
      });
    });
  });
}

function record(file: string | undefined, modelId: string, body: string, outcome: object): void {
  if (file === undefined) return;
  let request: unknown = body;
  try {
    request = JSON.parse(body);
  } catch {
    // What is no JSON is recorded as it came.
  }
  appendFileSync(file, `${JSON.stringify({ modelId, request, ...outcome })}\n`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bodyLimit)
      throw new Refusal('ValidationException', `too many total text bytes: ${bytes} > ${bodyLimit}`, 400);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function stream(response: ServerResponse, messages: Iterable<Buffer>): void {
  response.writeHead(200, { 'content-type': eventStreamType });
  for (const message of messages) response.write(message);
  response.end();
}
