import type { JsonObject } from '../../../core/json.ts';
import type { Conversation } from '../conversation.ts';

/** One tool call that the model asks for. */
export interface Call {
  readonly tool: string;
  readonly input: JsonObject;
}

/** What the model does next: answers, or asks for tools (with an optional word before). */
export type Move = { readonly say: string } | { readonly call: readonly Call[]; readonly say?: string };

/** One way to play: answers a move for the conversations it knows, `undefined` for all others. */
export interface Script {
  readonly name: string;
  plays(conversation: Conversation): Move | undefined;
}
