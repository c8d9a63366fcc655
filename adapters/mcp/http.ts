import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { newId } from '../../core/reference/reference.ts';
import type { Run } from '../../core/run/run.ts';
import type { References } from '../../core/wrap/references.ts';
import type { RequestContext } from '../../core/wrap/request-context.ts';
import { type Claims, checkedClaims, type ResourceServerRules, refuse } from './resource-server.ts';
import { resultsServer } from './server.ts';
import { sessionThatLeaves } from './session-room.ts';

export interface McpHttpOptions extends ResourceServerRules {
  readonly references: References;
  /**
   * Admits one MCP session as a run for the token's owner: what the run may read is decided by its first answer. Asked at
   * every request, since owner and roles must be the same still. `chat` is the session that the client named in
   * `Claimcheck-Session`, one of its own owner's at most. Undefined refuses.
   */
  readonly admit: (
    claims: Claims,
    chat: string | undefined,
  ) => RequestContext | undefined | Promise<RequestContext | undefined>;
  /** Sessions kept at once; of the owner who has the most, the one used longest ago makes room. Default 1,000. */
  readonly maxSessions?: number;
}

interface Session {
  readonly run: Run;
  readonly server: Server;
  readonly transport: StreamableHTTPServerTransport;
}

/**
 * The results server over streamable HTTP. Every request carries a token, and a session answers only its own owner's: a
 * session id is no permission. To be put behind TLS; listen on it with `listen(port, host)`.
 */
export function mcpHttpServer(options: McpHttpOptions): HttpServer {
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    handle(request, response, sessions, options).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'the request could not be answered');
      else response.destroy();
    });
  });
  server.on('close', () => {
    for (const { server: each } of sessions.values()) void each.close();
    sessions.clear();
  });
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Map<string, Session>,
  options: McpHttpOptions,
): Promise<void> {
  const claims = await checkedClaims(request, response, options);
  if (claims === undefined) return;
  const body =
    request.method === 'POST' ? await jsonBody(request, options.references.settings.transport.maxBytes) : null;
  if (body === 'too large') return refuse(response, 413, 'the message is too large');
  if (body === 'malformed') return refuse(response, 400, 'the message is no JSON');
  if (!answersWithinBound(body))
    return refuse(response, 400, 'expected one message, with an id of 128 characters at most');
  const chat = header(request, 'claimcheck-session');
  const context = await options.admit(claims, chat);
  if (context === undefined) return refuse(response, 403, 'not admitted');
  const id = header(request, 'mcp-session-id');
  const known = id === undefined ? undefined : sessions.get(id);
  if (id !== undefined) {
    // Another owner's session is as unknown as none; roles are the ones held now.
    const current = options.references.run({ ...context, run: known?.run.runId ?? newId() });
    if (known === undefined || current.owner !== known.run.owner || current.rolesDigest !== known.run.rolesDigest) {
      return refuse(response, 404, 'there is no such session');
    }
    sessions.delete(id);
    sessions.set(id, known);
    return known.transport.handleRequest(request, response, body ?? undefined);
  }
  const opened = await open(options.references.run({ ...context, run: context.run ?? newId() }), sessions, options);
  await opened.transport.handleRequest(request, response, body ?? undefined);
}

async function open(
  run: Run,
  sessions: Map<string, Session>,
  { references, maxSessions = 1_000 }: McpHttpOptions,
): Promise<Session> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: newId,
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      sessions.set(id, session);
      if (sessions.size <= maxSessions) return;
      const leaving = sessionThatLeaves(sessions);
      void sessions.get(leaving)?.server.close();
      sessions.delete(leaving);
    },
    onsessionclosed: (id) => {
      sessions.delete(id);
    },
  });
  const session: Session = { run, server: resultsServer(references, run), transport };
  // The transport's own types predate exact optional properties.
  await session.server.connect(transport as Parameters<Server['connect']>[0]);
  return session;
}

/** Answers to a batch come as one message, however many there are, and each holds its request's id: both are the client's. */
function answersWithinBound(body: unknown): boolean {
  if (Array.isArray(body)) return false;
  const id = (body as { readonly id?: unknown } | null)?.id;
  return typeof id !== 'string' || id.length <= 128;
}

async function jsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown | 'too large' | 'malformed'> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return 'too large';
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return 'malformed';
  }
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
