import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { References } from '../../core/wrap/references.ts';
import type { RequestContext } from '../../core/wrap/request-context.ts';
import { messageLines } from './message-lines.ts';
import { resultsServer } from './server.ts';

/**
 * Serves the results of one configured local owner over stdin and stdout: whoever started the process is that owner. A
 * message above `transport.maxBytes` is answered by an error and read past. Answers a function that stops it.
 */
export async function serveStdio(references: References, context: RequestContext): Promise<() => Promise<void>> {
  const { maxBytes } = references.settings.transport;
  const server = resultsServer(references, references.run(context));
  const lines = messageLines(maxBytes, (id) => {
    const error = { code: ErrorCode.InvalidRequest, message: `the message is too large: ${maxBytes} bytes at most` };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  });
  process.stdin.pipe(lines);
  await server.connect(new StdioServerTransport(lines, process.stdout, { maxBufferSize: maxBytes + 1 }));
  return () => {
    process.stdin.unpipe(lines);
    process.stdin.pause();
    return server.close();
  };
}
