import type { Message } from '../../../core/content/block.ts';
import type { PutAway, PutAwayRequest } from '../../../core/guard/guard.ts';
import type { Marker } from '../../../core/guard/marker.ts';
import type { Replacement, Replacements } from '../../../core/guard/replacements.ts';
import { type Model, type ModelReply, type ModelRequest, ModelServiceError } from '../../../core/model/model.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { silentTelemetry } from '../../../core/telemetry/telemetry.ts';

export const clock = { now: () => new Date('2026-11-30T12:00:00Z') };

/** Put-if-absent in memory; a value is copied through JSON, as a table would. */
export function memoryReplacements(): Replacements & { readonly list: Replacement[] } {
  const list: Replacement[] = [];
  return {
    list,
    all: async () => JSON.parse(JSON.stringify(list)) as Replacement[],
    putIfAbsent: async (_runId, replacement) => {
      const there = list.find((one) => one.toolUseId === replacement.toolUseId && one.digest === replacement.digest);
      if (there !== undefined) return there;
      list.push(JSON.parse(JSON.stringify(replacement)) as Replacement);
      return replacement;
    },
  };
}

export function memoryPutAway(
  options: { readonly selections?: readonly string[]; readonly fail?: boolean } = {},
): PutAway & { readonly kept: PutAwayRequest[] } {
  const kept: PutAwayRequest[] = [];
  return {
    kept,
    isSelection: (toolUseId) => options.selections?.includes(toolUseId) ?? false,
    keep: async (request): Promise<Marker | 'unconfirmed'> => {
      if (options.fail) return 'unconfirmed';
      kept.push(request);
      if (request.status === 'error') return { kind: 'error', bytes: request.bytes };
      if (request.latest && options.selections?.includes(request.toolUseId)) {
        return { kind: 'unfit', refs: ['a/b'], bytes: request.bytes };
      }
      return {
        kind: 'stored',
        ref: `${'a'.repeat(32)}/${String(kept.length).padStart(32, '0')}`,
        bytes: request.bytes,
        availableUntil: '2026-12-30T00:00:00Z',
        shown: request.shown,
      };
    },
  };
}

export const options = (replacements: Replacements = memoryReplacements()) => ({
  settings: defaultSettings,
  replacements,
  clock,
  telemetry: silentTelemetry,
});

export function request(messages: readonly Message[], extra: Partial<ModelRequest> = {}): ModelRequest {
  return {
    modelId: 'model',
    system: [{ text: 'Answer.' }],
    messages,
    tools: [{ name: 'list', description: 'Lists.', inputSchema: { type: 'object' } }],
    cacheTools: false,
    maxTokens: 1_000,
    ...extra,
  };
}

export const ask = (text: string): Message => ({ role: 'user', content: [{ text }] });
export const call = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolUseId) => ({ toolUse: { toolUseId, name: 'list', input: {} } })),
});
export const result = (toolUseId: string, text: string, status: 'success' | 'error' = 'success'): Message => ({
  role: 'user',
  content: [{ toolResult: { toolUseId, status, content: [{ text }] } }],
});

/** Rows as JSON of about `bytes` bytes; the last one says so. */
export function rows(bytes: number, tag = 'row'): string {
  const list: unknown[] = [];
  for (let size = 2; size < bytes; size += 60)
    list.push({ id: list.length, kind: tag, note: 'ordinary words stand here' });
  return JSON.stringify([...list, { id: list.length, kind: 'LAST', note: 'the decisive record' }]);
}

export const reply = (usage: Partial<ModelReply['usage']> = {}): ModelReply => ({
  message: { role: 'assistant', content: [{ text: 'done' }] },
  stopReason: 'end_turn',
  usage: { inputTokens: 0, outputTokens: 1, cacheReadInputTokens: 0, cacheWriteInputTokens: 0, ...usage },
});

/** Plays back answers and errors; keeps the requests that it was sent. */
export function scripted(...answers: (ModelReply | ModelServiceError)[]): Model & { readonly sent: ModelRequest[] } {
  const sent: ModelRequest[] = [];
  return {
    sent,
    converse: async (wanted) => {
      sent.push(wanted);
      const answer = answers[sent.length - 1] ?? reply();
      if (answer instanceof ModelServiceError) throw answer;
      return answer;
    },
  };
}
