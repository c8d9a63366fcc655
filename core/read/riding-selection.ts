import { ridingSelectionPrompt } from '../../prompts/riding-selection.ts';
import type { ContentBlock } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { ResultStore } from '../store/result-store.ts';
import { pageSchema } from '../tool/builtin-tools.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import type { ReadAnswer } from './answer.ts';
import { type ReadPorts, readIndexed } from './read-result.ts';
import { parseSelection, type Selection } from './selection.ts';

/** The argument that the platform adds to every tool and takes away again before the tool sees its input. */
export const ridingKey = '_select';

/** The schema as it is offered to the model: the tool's own, and the selection that may ride on the call. */
export function withRidingSelection(tool: Pick<ToolDefinition, 'inputSchema' | 'builtin'>): JsonObject {
  if (tool.builtin === true) return tool.inputSchema;
  const properties = (tool.inputSchema['properties'] ?? {}) as JsonObject;
  if (Object.hasOwn(properties, ridingKey)) return tool.inputSchema;
  return {
    ...tool.inputSchema,
    properties: {
      ...properties,
      [ridingKey]: {
        type: 'object',
        description: ridingSelectionPrompt,
        additionalProperties: false,
        properties: pageSchema as unknown as JsonObject,
      },
    },
  };
}

/**
 * Takes the selection off a tool's input. Throws `InvalidInput` for one that is not a selection, before anything is
 * executed. A tool that has a parameter of this name keeps it.
 */
export function takeRidingSelection(
  tool: Pick<ToolDefinition, 'inputSchema' | 'builtin'>,
  input: JsonObject,
): { readonly input: JsonObject; readonly selection: Selection | null } {
  const own = (tool.inputSchema['properties'] ?? {}) as JsonObject;
  if (tool.builtin === true || Object.hasOwn(own, ridingKey) || !Object.hasOwn(input, ridingKey)) {
    return { input, selection: null };
  }
  const { [ridingKey]: asked, ...rest } = input;
  if (asked === null || asked === undefined) return { input: rest, selection: null };
  if (!isObject(asked))
    throw new ClaimcheckError('InvalidInput', `${ridingKey}: expected an object with fields, offset, limit`);
  const { fields, offset, limit, ...more } = asked;
  const unknown = Object.keys(more);
  if (unknown.length > 0) {
    throw new ClaimcheckError(
      'InvalidInput',
      `${ridingKey}: expected only fields, offset and limit, found ${unknown.slice(0, 5).join(', ')}`,
    );
  }
  return { input: rest, selection: parseSelection({ fields, offset, limit }) };
}

/** The input as far as it makes two calls the same: which part of the result is shown is no part of that. */
export function withoutRidingSelection(
  tool: Pick<ToolDefinition, 'inputSchema' | 'builtin'> | undefined,
  input: JsonValue,
): JsonValue {
  if (tool === undefined || tool.builtin === true || !isObject(input)) return input;
  if (Object.hasOwn((tool.inputSchema['properties'] ?? {}) as JsonObject, ridingKey)) return input;
  const { [ridingKey]: _selection, ...rest } = input;
  return rest;
}

/** What the just stored result is, as far as its own call needs it. */
export interface JustStored {
  readonly index: ResultIndex;
  readonly owner: Parameters<ResultStore['readIndex']>[0]['owner'];
  readonly version: number;
  readonly supersedes: string | null;
}

/**
 * Answers a tool call with the selection that rode on it: the same data, coverage and version as a read, from the copy
 * that this call has just stored; no catalogue and no grant is asked. Throws what a read throws.
 */
export async function applyRidingSelection(
  stored: JustStored,
  selection: Selection,
  ports: Pick<ReadPorts, 'store' | 'settings' | 'tools'>,
  left: number | null = null,
): Promise<ReadAnswer> {
  const { index } = stored;
  const address = { owner: stored.owner, session: index.ref.slice(0, 32), id: index.ref.slice(33) };
  return readIndexed(
    {
      index,
      address,
      version: {
        ref: index.ref,
        tool: index.tool,
        tool_version: index.toolVersion,
        version: stored.version,
        supersedes: stored.supersedes,
        acquired_at: index.acquiredAt,
        available_until: index.availableUntil,
        sha256: index.sha256,
      },
    },
    selection,
    ports,
    left,
  );
}

/**
 * The content of such a call: the selection where the preview stood, then the data reference with the selection's
 * coverage in it, so that both name the same facts. `kept` is what the hook made of the result.
 */
export function ridingContent(kept: readonly ContentBlock[], answer: ReadAnswer): readonly ContentBlock[] {
  const coverage = answer.coverage as unknown as JsonValue;
  const media = kept.filter((block) => !('text' in block) && !('json' in block));
  const reference = kept.flatMap((block): ContentBlock[] => {
    const held = 'json' in block && isObject(block.json) ? block.json['data_reference'] : undefined;
    return isObject(held) ? [{ json: { data_reference: { ...held, coverage } } }] : [];
  });
  return [{ text: answer.text }, ...media, ...reference.slice(-1)];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
