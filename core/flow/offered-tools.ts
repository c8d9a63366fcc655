import type { ModelToolSpec } from '../model/model.ts';
import { withRidingSelection } from '../read/riding-selection.ts';
import { allowed, type ToolCatalogue } from '../tool/tool-definition.ts';

/**
 * The tools that a run's recorded roles open, in catalogue order. It depends on nothing that changes in a run, so the
 * list is the same in every request of it (DESIGN 8).
 */
export function offeredTools(
  roles: readonly string[],
  tools: ToolCatalogue,
  functions: Readonly<Record<string, string>>,
): readonly ModelToolSpec[] {
  return tools
    .all()
    .filter((tool) => Object.hasOwn(functions, tool.name) && allowed(tool, roles))
    .map((tool) => ({ name: tool.name, description: tool.description, inputSchema: withRidingSelection(tool) }));
}
