import type { ToolCatalogue, ToolDefinition } from '../tool/tool-definition.ts';

/** What a developer says about a tool of their own process; the rest has defaults. */
export type ToolRules = Partial<
  Pick<
    ToolDefinition,
    | 'version'
    | 'roles'
    | 'retry'
    | 'budgetBytes'
    | 'summary'
    | 'storageMaxBytes'
    | 'reuse'
    | 'view'
    | 'identity'
    | 'population'
  >
>;

/**
 * The tools of an agent that runs in one process. Those that are listed have their own rules; every other one, also
 * next quarter's, has the rules of `anyTool`: open to whoever runs the agent, one budget for all.
 */
export function processTools(
  listed: Readonly<Record<string, ToolRules>>,
  anyTool: ToolRules,
  budgetBytes: number,
): ToolCatalogue {
  const made = new Map<string, ToolDefinition>();
  const define = (name: string): ToolDefinition => ({
    name,
    version: '1',
    description: name,
    inputSchema: { type: 'object' },
    intake: 'answer',
    roles: ['*'],
    retry: 'once',
    budgetBytes,
    timeoutMs: 60_000,
    population: 'finite',
    ...anyTool,
    ...(Object.hasOwn(listed, name) ? listed[name] : {}),
  });
  const find = (name: string): ToolDefinition => {
    const known = made.get(name) ?? define(name);
    made.set(name, known);
    return known;
  };
  return { find, all: () => Object.keys(listed).map(find) };
}
