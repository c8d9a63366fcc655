import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { References } from '../../core/wrap/references.ts';
import type { RequestContext } from '../../core/wrap/request-context.ts';
import { resultsServer } from './server.ts';

/**
 * Serves the results of one configured local owner over stdin and stdout: whoever started the process is that owner.
 * Answers a function that stops it.
 */
export async function serveStdio(references: References, context: RequestContext): Promise<() => Promise<void>> {
  const maxBufferSize = references.settings.transport.maxBytes;
  const server = resultsServer(references, references.run(context));
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize }));
  return () => server.close();
}
