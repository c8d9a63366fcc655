import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import type { JsonValue } from '../json.ts';
import { parseReference } from '../reference/reference.ts';
import type { ToolOutcome } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { ResultStore } from '../store/result-store.ts';
import { gateOfNamed } from '../tool/gate.ts';
import type { ToolCatalogue } from '../tool/tool-definition.ts';
import type { ResultOrigin } from './chat.ts';

export interface OriginPorts {
  readonly catalogue: Pick<Catalogue, 'find'>;
  readonly store: Pick<ResultStore, 'readIndex'>;
  readonly tools: ToolCatalogue;
}

export interface StoredFacts {
  readonly entry: CatalogueEntry | undefined;
  readonly index: ResultIndex | undefined;
}

/** A gate that no tool has, so nobody passes it: for a source whose record is gone. */
const closedGate = '?';

export interface OriginFinder {
  stored(ref: string): Promise<StoredFacts>;
  origin(outcome: ToolOutcome, input: JsonValue | undefined): Promise<ResultOrigin>;
}

/**
 * Finds out where tool results came from: their gates, dates, and whether the stored copy really stands in storage.
 * Remembers what it looked up, for one save.
 */
export function originFinder({ owner, roles }: Pick<Run, 'owner' | 'roles'>, ports: OriginPorts): OriginFinder {
  const known = new Map<string, Promise<StoredFacts>>();

  function stored(ref: string): Promise<StoredFacts> {
    const found = known.get(ref) ?? lookUp(ref);
    known.set(ref, found);
    return found;
  }

  async function lookUp(ref: string): Promise<StoredFacts> {
    const { session, id } = parseReference(ref);
    const [entry, index] = await Promise.all([
      ports.catalogue.find(owner, ref),
      ports.store.readIndex({ owner, session, id }),
    ]);
    return { entry, index };
  }

  async function gatesOf(ref: string): Promise<readonly string[]> {
    const { entry, index } = await stored(ref);
    return index?.gates ?? entry?.gates ?? [closedGate];
  }

  /** `input` is what the model asked for: a platform tool's answer carries the gates of what it read. */
  async function origin(outcome: ToolOutcome, input: JsonValue | undefined): Promise<ResultOrigin> {
    const builtin = ports.tools.find(outcome.tool)?.builtin === true;
    const sources = builtin ? referencesIn([input, outcome.content]).filter((ref) => ref !== outcome.ref) : [];
    const facts = outcome.ref === null ? undefined : await stored(outcome.ref);
    // A call that was refused at the gate brought nothing of the tool into the chat, so there is nothing to close.
    const gates = new Set<string>(
      builtin || outcome.refused === true ? [] : [gateOfNamed(ports.tools, outcome.tool, roles)],
    );
    for (const ref of [...sources, ...(outcome.ref === null ? [] : [outcome.ref])]) {
      // An answer of a platform tool may name references that do not exist; a failed read shows nothing of them.
      if (builtin && outcome.status === 'error' && (await stored(ref)).index === undefined) continue;
      for (const gate of await gatesOf(ref)) gates.add(gate);
    }
    return {
      tool: outcome.tool,
      ref: outcome.ref,
      sources,
      gates: [...gates].sort(),
      availableUntil: facts?.index?.availableUntil ?? null,
      confirmed: facts?.index !== undefined,
      ...(outcome.delivered === undefined ? {} : { delivered: outcome.delivered }),
    };
  }

  return { stored, origin };
}

/**
 * Every reference that stands in a platform tool's input or answer. Only ever used to close something (more gates),
 * so a reference that a record merely quotes can do no harm.
 */
function referencesIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  for (const [ref] of JSON.stringify(value, bytesLeftOut).matchAll(
    /(?<![0-9a-f])[0-9a-f]{32}\/[0-9a-f]{32}(?![0-9a-f])/g,
  )) {
    found.add(ref);
  }
  return [...found];
}

const bytesLeftOut = (_key: string, value: unknown) => (value instanceof Uint8Array ? null : value);
