import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BedrockAgentCoreClient } from '@aws-sdk/client-bedrock-agentcore';
import { eventMessage } from '../../local/model-server/event-stream.ts';

export const interpreter = 'aws.codeinterpreter.v1';
export const interpreterSession = '01JQ0000000000000000000000';

export interface Asked {
  readonly operation: string;
  readonly session: string | undefined;
  readonly body: Record<string, unknown>;
}

export interface Printed {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/**
 * Speaks the protocol of AgentCore's Code Interpreter as its API reference has it: REST and JSON, results in an event
 * stream. What a program prints is the test's to say; anything under `bodies` is served as a stored copy.
 */
export class FakeCodeInterpreter {
  /** Given the mark that the program's wrapper prints before the result. */
  program: (mark: string, code: string) => Printed | 'hangs' | 'cut' = () => ({});
  refuse: { readonly status: number; readonly type: string } | null = null;
  asked: Asked[] = [];
  /** Stored copies that were fetched, in order. */
  readonly fetched: string[] = [];
  readonly bodies = new Map<string, Uint8Array>();
  readonly #server: Server;
  address = '';

  constructor() {
    this.#server = createServer(async (request, response) => {
      const text = await textOf(request);
      const path = decodeURIComponent(request.url ?? '');
      const stored = this.bodies.get(path);
      if (stored !== undefined) {
        this.fetched.push(path);
        response.end(stored);
        return;
      }
      const operation =
        /^\/code-interpreters\/aws\.codeinterpreter\.v1\/(sessions\/start|sessions\/stop|tools\/invoke)/.exec(
          path,
        )?.[1];
      const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      const header = request.headers['x-amzn-code-interpreter-session-id'];
      this.asked.push({ operation: operation ?? path, session: header as string | undefined, body: parsed });
      if (this.refuse !== null && operation === 'sessions/start') {
        const { status, type } = this.refuse;
        response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
        response.end(JSON.stringify({ message: 'arn:aws:iam::123456789012:role/secret-name' }));
        return;
      }
      if (operation !== 'tools/invoke') {
        response.writeHead(200, { 'content-type': 'application/json' });
        const times = { createdAt: '2026-11-30T00:00:00Z', lastUpdatedAt: '2026-11-30T00:00:00Z' };
        response.end(
          JSON.stringify({ codeInterpreterIdentifier: interpreter, sessionId: interpreterSession, ...times }),
        );
        return;
      }
      response.writeHead(200, {
        'content-type': 'application/vnd.amazon.eventstream',
        'x-amzn-code-interpreter-session-id': interpreterSession,
      });
      if (parsed['name'] === 'writeFiles') {
        const content = [{ type: 'text', text: 'Successfully wrote all files' }];
        response.end(eventMessage('result', { content, isError: false }));
        return;
      }
      const { code } = parsed['arguments'] as { code: string };
      const printed = this.program(/@[0-9a-f-]{36}@/.exec(code)?.[0] ?? 'no mark', code);
      if (printed === 'hangs') return;
      if (printed === 'cut') {
        response.end();
        return;
      }
      const { stdout = '', stderr = '', exitCode = 0 } = printed;
      response.end(
        eventMessage('result', {
          content: [{ type: 'text', text: exitCode === 0 ? stdout : stderr }],
          structuredContent: { stdout, stderr, exitCode, executionTime: 0.02 },
          isError: exitCode !== 0,
        }),
      );
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    this.address = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  client(): BedrockAgentCoreClient {
    return new BedrockAgentCoreClient({
      endpoint: this.address,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
  }

  /** What was asked, tools by their names. */
  operations(): readonly string[] {
    return this.asked.map(({ operation, body: { name } }) => (operation === 'tools/invoke' ? String(name) : operation));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
