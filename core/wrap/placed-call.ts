import type { JsonObject, JsonValue } from '../json.ts';
import type { Run } from '../run/run.ts';
import { callDigest } from '../tool/call-digest.ts';

/** One call of a tool: by whom, and how it is executed. */
export interface WrappedCall {
  readonly run: Run;
  readonly tool: string;
  /** As the model named it; may come twice. */
  readonly toolUseId: string;
  readonly input: unknown;
}

/** A call with its place in the run. A class, since thousands may wait at once: their digests are made when asked for. */
export class PlacedCall {
  readonly run: Run;
  readonly turn = 0;
  readonly index: number;
  readonly toolUseId: string;
  readonly input: JsonValue;
  readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonValue };

  constructor({ run, tool, toolUseId, input }: WrappedCall, index: number) {
    this.run = run;
    this.index = index;
    this.toolUseId = toolUseId;
    this.input = plainInput(input);
    this.toolUse = { toolUseId, name: tool, input: this.input };
  }

  /** Recognises the same call again. */
  get digest(): string {
    return callDigest(this.toolUse.name, this.input);
  }
}

/** Arguments as JSON has them: what cannot be written is no part of what makes two calls the same. */
function plainInput(input: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(input) ?? '{}') as JsonObject;
  } catch {
    return {};
  }
}
