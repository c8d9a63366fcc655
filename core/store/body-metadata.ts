import { shortGate } from '../tool/gate.ts';
import type { BodyMetadata } from './result-store.ts';

/** Prefix of every name of ours in an object's user metadata (docs/contracts.md). */
const prefix = 'cc-';
/** S3 allows 2,048 bytes of names and values together; the rest is room for what an operator's proxy may add. */
const maxMetadataBytes = 1_900;
/** Longest encoded file name and list of gates; the commit record keeps both whole. */
const maxNameBytes = 600;
const maxToolsBytes = 700;
/** One gate is shorter (`core/tool/gate.ts`); what is cut reads like no gate and opens for nobody. */
const maxGateBytes = 500;
/** Stands for the gates that found no room: the name of no tool, so a download asks for more than anybody holds. */
const tooMany = '+';

/**
 * Body metadata as S3 user metadata: US-ASCII names, percent-encoded values, under 2 KB in all (DESIGN 6). Values that
 * are too long are shortened here and whole in the commit record.
 */
export function encodeMetadata(metadata: BodyMetadata): Record<string, string> {
  const encoded: Record<string, string> = {
    tools: gatesText(metadata.tools, maxToolsBytes),
    run: encodedText(metadata.runId, 200),
    turn: String(metadata.turn),
    index: String(metadata.index),
    until: encodedText(metadata.availableUntil, 80),
    format: String(metadata.format),
    ...(metadata.sha256 === undefined ? {} : { sha256: encodedText(metadata.sha256, 64) }),
    ...(metadata.fileName === undefined ? {} : { name: encodedText(metadata.fileName, maxNameBytes) }),
  };
  const named = Object.fromEntries(Object.entries(encoded).map(([name, value]) => [prefix + name, value]));
  const total = Object.entries(named).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (total > maxMetadataBytes) delete named[`${prefix}name`];
  return named;
}

/** The metadata that an object carries; undefined when it was not written by us. */
export function decodeMetadata(
  user: Readonly<Record<string, string>> | undefined,
  contentType: string | undefined,
): BodyMetadata | undefined {
  const read = (name: string): string | undefined => {
    const value = user?.[prefix + name];
    return value === undefined ? undefined : decoded(value);
  };
  const [run, until] = [read('run'), read('until')];
  const [turn, index, format] = [Number(read('turn')), Number(read('index')), Number(read('format'))];
  if (run === undefined || until === undefined || ![turn, index, format].every(Number.isInteger)) return undefined;
  const [sha256, fileName] = [read('sha256'), read('name')];
  return {
    tools: (user?.[`${prefix}tools`] ?? '').split(',').filter(Boolean).map(decoded),
    runId: run,
    turn,
    index,
    availableUntil: until,
    format,
    contentType: contentType ?? 'application/octet-stream',
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(fileName === undefined ? {} : { fileName }),
  };
}

/**
 * All gates, each whole; where they find no room so, the longest by their digests, one after the other: those open for
 * fewer people and never for more. What finds no room even then is closed to everybody.
 */
function gatesText(gates: readonly string[], maxBytes: number): string {
  const encoded = gates.map((gate) => encodedText(gate, maxGateBytes));
  const longestFirst = gates.map((_gate, at) => at).sort((a, b) => bytesAt(encoded, b) - bytesAt(encoded, a));
  for (const at of longestFirst) {
    if (encoded.join(',').length < maxBytes) break;
    encoded[at] = encodedText(shortGate(gates[at] as string), maxGateBytes);
  }
  const kept: string[] = [];
  let bytes = 0;
  for (const gate of encoded) {
    bytes += gate.length + 1;
    if (bytes > maxBytes) return [...kept, tooMany].join(',');
    kept.push(gate);
  }
  return kept.join(',');
}

const bytesAt = (encoded: readonly string[], at: number): number => encoded[at]?.length ?? 0;

/** Percent-encoded text of at most `maxBytes`, cut between characters so that it decodes. */
function encodedText(text: string, maxBytes: number): string {
  let encoded = '';
  for (const character of text.replace(/\p{Surrogate}/gu, '\uFFFD')) {
    const next = encodeURIComponent(character);
    if (encoded.length + next.length > maxBytes) break;
    encoded += next;
  }
  return encoded;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
