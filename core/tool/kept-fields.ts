import type { ToolDefinition } from './tool-definition.ts';

/**
 * Fields that the roles held keep (DESIGN 7.6): the union over these roles and `*`. `null`: the tool has no view, or
 * one of the roles keeps everything (`['*']`). Roles that no entry names keep nothing.
 */
export function keptFields(tool: Pick<ToolDefinition, 'view'>, roles: readonly string[]): readonly string[] | null {
  if (tool.view === undefined) return null;
  const view = tool.view;
  const kept = new Set(
    [...new Set([...roles, '*'])].flatMap((role) => (Object.hasOwn(view, role) ? (view[role] ?? []) : [])),
  );
  return kept.has('*') ? null : [...kept];
}
