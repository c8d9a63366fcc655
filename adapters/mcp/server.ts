import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Run } from '../../core/run/run.ts';
import type { ReaderAnswer, References } from '../../core/wrap/references.ts';
import { type ReaderTool, readerTools } from '../reader-tools.ts';
import { withinMessage } from './message-bound.ts';
import { nextPage, type PageCoverage, parseResourceUri, resourceTemplate, resourceUri } from './resource-uri.ts';

/** Links beside an answer; each names a stored result as a resource. */
const mostLinks = 20;

interface Row {
  readonly ref: string;
  readonly tool: string;
  readonly bytes: number;
}

/**
 * An MCP server over the stored results of one run: the tools that read them, and the results themselves as resources
 * in bounded pages. Whose run it is was decided before; nothing in a message can name an owner. No message is larger
 * than `transport.maxBytes`.
 */
export function resultsServer(references: References, run: Run): Server {
  const tools = readerTools(references);
  const maxBytes = references.settings.transport.maxBytes;
  const server = new Server({ name: 'claimcheck', version: '0.1.0' }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as { readonly type: 'object' },
      // An analysis may keep its answer or a chart.
      annotations: { readOnlyHint: name !== 'analyze_result', destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'there is no tool of this name');
    return callTool(tool, run, params.arguments ?? {}, maxBytes);
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: [
      {
        name: 'stored result',
        uriTemplate: resourceTemplate,
        description:
          'Records (lines) of a stored result, as many as one message holds; _meta.next is the address of the rest.',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) => {
    const answer = await references.list(run, params?.cursor === undefined ? {} : { cursor: params.cursor });
    if (answer.status === 'error') throw new McpError(ErrorCode.InvalidParams, answer.text);
    const list = JSON.parse(answer.text) as { readonly results: readonly Row[]; readonly next_cursor: string | null };
    return {
      resources: list.results.map(described),
      ...(list.next_cursor === null ? {} : { nextCursor: list.next_cursor }),
    };
  });
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    readResource(references, run, params.uri, maxBytes),
  );
  return server;
}

async function callTool(
  tool: ReaderTool,
  run: Run,
  input: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Promise<CallToolResult> {
  const made = await withinMessage(
    maxBytes,
    (bytes) => tool.answer(run, input, { maxBytes: bytes }),
    (answer) => toolResult(tool, answer, input),
  );
  return (
    made ?? { isError: true, content: [{ type: 'text', text: 'SelectionTooLarge: ask for fewer records or fields' }] }
  );
}

function toolResult(tool: ReaderTool, answer: ReaderAnswer, input: Readonly<Record<string, unknown>>): CallToolResult {
  const text = { type: 'text' as const, text: answer.text };
  if (answer.status === 'error') return { isError: true, content: [text] };
  const rows = tool.name === 'list_results' ? (JSON.parse(answer.text) as { results: readonly Row[] }).results : [];
  const named = typeof input['ref'] === 'string' ? [{ ref: input['ref'], tool: 'stored result', bytes: 0 }] : rows;
  const links = named.slice(0, mostLinks).map((row) => ({ type: 'resource_link' as const, ...described(row) }));
  return { content: [text, ...links] };
}

function described({ ref, tool, bytes }: Row) {
  return {
    uri: resourceUri({ ref, offset: 0 }),
    name: `${tool} ${ref.slice(-8)}`,
    mimeType: 'application/json',
    ...(bytes > 0 ? { size: bytes } : {}),
  };
}

function tooWide(offset: number): string {
  return `SelectionTooLarge: what stands at ${offset} does not fit into one message; use read_result with bytes, or fields`;
}

/** One page of a result: `resources/read` has no range, so each page names the address of the next. */
async function readResource(
  references: References,
  run: Run,
  uri: string,
  maxBytes: number,
): Promise<ReadResourceResult> {
  const page = (() => {
    try {
      return parseResourceUri(uri);
    } catch (error) {
      throw new McpError(ErrorCode.InvalidParams, (error as Error).message);
    }
  })();
  const made = await withinMessage(
    maxBytes,
    (bytes) => references.read(run, page, { maxBytes: bytes }),
    (answer) => {
      // One answer for what is not there and what is not theirs (code -32002, as the specification has it).
      if (answer.status === 'error') throw new McpError(-32002, answer.text);
      const { coverage } = JSON.parse(answer.text) as { readonly coverage: PageCoverage };
      const after = nextPage(page, coverage);
      // An address that leads nowhere would be read for ever.
      if (after === undefined) throw new McpError(ErrorCode.InvalidParams, tooWide(page.offset));
      const next = after === null ? null : resourceUri(after);
      return { contents: [{ uri, mimeType: 'application/json', text: answer.text }], _meta: { next, coverage } };
    },
  );
  if (made === null) throw new McpError(ErrorCode.InvalidParams, 'SelectionTooLarge: ask for fewer records or fields');
  return made;
}
