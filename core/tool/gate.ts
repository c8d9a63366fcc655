import { createHash } from 'node:crypto';
import { keptFields } from './kept-fields.ts';
import type { ToolCatalogue, ToolDefinition } from './tool-definition.ts';

/**
 * A gate is a text that a stored result, and whatever is made of it, carries: the producing tool's name, and where its
 * view (DESIGN 7.6) reduced the result, the fields that it kept: `people`, `people{id,name}`. It stands in the commit
 * record, the catalogue, saved chats and the object's metadata, so it is short and plain text.
 */
const gatePattern = /^([^{}]+)(?:\{([^{}]*)\})?$/;
/** Fields of more bytes, percent-encoded as in metadata, are told by their digest: only the same fields or all meet it. */
const maxFieldBytes = 400;

/** The gate of what a tool makes for these roles. */
export function gateOf(tool: Pick<ToolDefinition, 'name' | 'view'>, roles: readonly string[]): string {
  const kept = keptFields(tool, roles);
  const name = escapedName(tool.name);
  return kept === null ? name : `${name}{${fieldsText(kept)}}`;
}

/** The same by name; a tool that is not known has its bare name, which opens for nobody. */
export function gateOfNamed(tools: ToolCatalogue, name: string, roles: readonly string[]): string {
  const tool = tools.find(name);
  return tool === undefined ? escapedName(name) : gateOf(tool, roles);
}

/** The tool of a gate, for what people and file names are told. */
export function toolOfGate(gate: string): string {
  return namedIn(gatePattern.exec(gate)?.[1] ?? gate);
}

/**
 * Do these roles open the gate now? They need the tool, and a view that keeps at least every field which the result
 * holds: who lost the role that widened a view does not keep what it showed. What does not read like a gate opens for
 * nobody.
 */
export function gateOpens(catalogue: ToolCatalogue, gate: string, roles: readonly string[]): boolean {
  const tool = catalogue.find(toolOfGate(gate));
  if (tool === undefined) return false;
  const held = tool.roles.includes('*') || tool.roles.some((role) => roles.includes(role));
  return held && viewCovers(tool, gate, roles);
}

/**
 * Is the gate one of this tool, and does its view for these roles keep every field that the gate names? What was stored
 * whole, or before the tool had a view, needs a view that keeps everything. Field by field and exact: `error.code` is
 * not taken for a part of `error`, since in a table it may be a column of its own.
 */
export function viewCovers(
  tool: Pick<ToolDefinition, 'name' | 'view'>,
  gate: string,
  roles: readonly string[],
): boolean {
  const [, name, stored] = gatePattern.exec(gate) ?? [];
  if (name !== escapedName(tool.name)) return false;
  const current = keptFields(tool, roles);
  if (current === null) return true;
  if (stored === undefined) return false;
  if (stored === '' || stored === fieldsText(current)) return true;
  if (stored.startsWith('#')) return stored === fieldsDigest(allFields(current));
  const kept = new Set(current.map(escaped));
  return stored.split(',').every((field) => kept.has(field));
}

/**
 * The gate with its fields told by their digest, for where there is no room for them: whoever it opens for, the gate
 * itself opens for.
 */
export function shortGate(gate: string): string {
  const [, name, stored] = gatePattern.exec(gate) ?? [];
  if (name === undefined || stored === undefined || stored === '' || stored.startsWith('#')) return gate;
  return `${name}{${fieldsDigest(stored)}}`;
}

function fieldsText(fields: readonly string[]): string {
  const text = allFields(fields);
  return encodeURIComponent(text).length <= maxFieldBytes ? text : fieldsDigest(text);
}

/** In a fixed order, so that equal views have equal texts. */
function allFields(fields: readonly string[]): string {
  return [...new Set(fields.map(escaped))].sort().join(',');
}

/** `#` begins no escaped field. */
function fieldsDigest(text: string): string {
  return `#${createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32)}`;
}

/** Names of the platform's tools are plain; those of a process may be any, and braces are the gate's own. */
function escapedName(name: string): string {
  return name.replace(/[{}%]/g, encodeURIComponent);
}

function namedIn(escapedOne: string): string {
  return escapedOne.replace(/%(?:7B|7D|25)/g, decodeURIComponent);
}

/** Commas and braces are the gate's own. */
function escaped(field: string): string {
  return field.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/[^A-Za-z0-9_.-]/gu, encodeURIComponent);
}
