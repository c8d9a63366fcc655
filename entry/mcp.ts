/** An MCP server over stored results: stdio and streamable HTTP. */
export { type McpHttpOptions, mcpHttpServer } from '../adapters/mcp/http.ts';
export type { Claims, ResourceServerRules } from '../adapters/mcp/resource-server.ts';
export { resultsServer } from '../adapters/mcp/server.ts';
export { serveStdio } from '../adapters/mcp/stdio.ts';
