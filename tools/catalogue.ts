import { type ToolDefinition, toolCatalogue } from '../core/tool/tool-definition.ts';
import { analyzeResultTool, listResultsTool, readResultTool } from './builtin.ts';
import { flightsTool } from './flights/definition.ts';
import { ordersTool } from './orders/definition.ts';
import { searchNotesTool } from './search-notes/definition.ts';
import { serviceStatusTool } from './service-status/definition.ts';

/** A tool with a function of its own: what the stack needs to deploy it. Paths are relative to the project's root. */
export interface DeployedTool {
  readonly definition: ToolDefinition;
  /** The module that exports `handler`. */
  readonly entry: string;
  readonly memoryMb: number;
  /** Files that lie beside the bundled handler under their base names. */
  readonly files: readonly string[];
  /** The tool writes bodies through the wrapper: it needs the bucket's name and create-only access under `results/`. */
  readonly wrapper: boolean;
  /** The tool reads the orders database: it is deployed only where the settings `orders` name one. */
  readonly ordersDatabase?: boolean;
}

/** The example tools. Physical function name: `<prefix>-tool-<name with hyphens>`. */
export const deployedTools: readonly DeployedTool[] = [
  {
    definition: serviceStatusTool,
    entry: 'tools/service-status/handler.ts',
    memoryMb: 512,
    files: [],
    wrapper: true,
  },
  {
    definition: flightsTool,
    entry: 'tools/flights/handler.ts',
    memoryMb: 512,
    files: ['node_modules/vega-datasets/data/flights-200k.json'],
    wrapper: false,
  },
  {
    definition: ordersTool,
    entry: 'tools/orders/handler.ts',
    memoryMb: 512,
    files: [],
    wrapper: true,
    ordersDatabase: true,
  },
  { definition: searchNotesTool, entry: 'tools/search-notes/handler.ts', memoryMb: 256, files: [], wrapper: false },
];

/** Tools that the platform answers itself, and the function (without prefix) that answers each. */
export const builtinTools: readonly { readonly definition: ToolDefinition; readonly functionName: string }[] = [
  { definition: listResultsTool, functionName: 'list-results' },
  { definition: readResultTool, functionName: 'read-result' },
  { definition: analyzeResultTool, functionName: 'analyze-result' },
];

/** Every tool there is. New tools enter here on purpose; an unknown name is refused everywhere (DESIGN 7.4). */
export const tools = toolCatalogue([
  ...deployedTools.map((tool) => tool.definition),
  ...builtinTools.map((tool) => tool.definition),
]);
