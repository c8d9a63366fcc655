import { setTimeout as pause } from 'node:timers/promises';
import {
  type BedrockRuntimeClient,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { type Model, type ModelReply, type ModelRequest, ModelServiceError } from '../core/model/model.ts';
import { backoffMs } from '../core/retry/backoff.ts';
import { bedrockFailure } from './bedrock-failure.ts';
import { commandInput } from './bedrock-model.ts';
import { StreamedMessage } from './streamed-message.ts';

/** The SDK repeats a request up to the first event of its stream; one that fails later is made this often, all in all. */
const executions = 3;
const pauses = { baseDelayMs: 200, maxDelayMs: 5_000 };

/**
 * Bedrock ConverseStream behind the same port, for models whose setting says `stream`. The answer is put together before
 * anybody gets it. An exception that comes as an event, the first one included, is thrown as the same
 * `ModelServiceError` as one that the request is refused with, so the guard knows "too long" either way.
 */
export class BedrockStreamModel implements Model {
  readonly #client: BedrockRuntimeClient;
  readonly #wait: (milliseconds: number) => Promise<unknown>;

  constructor(client: BedrockRuntimeClient, wait: (milliseconds: number) => Promise<unknown> = pause) {
    this.#client = client;
    this.#wait = wait;
  }

  async converse(request: ModelRequest): Promise<ModelReply> {
    for (let execution = 1; ; execution += 1) {
      const events = await this.#open(request);
      try {
        return await whole(events);
      } catch (error) {
        const failure = error instanceof ModelServiceError ? error : bedrockFailure(error);
        if (!failure.retryable || execution === executions) throw failure;
        await this.#wait(backoffMs(execution, pauses, Math.random));
      }
    }
  }

  async #open(request: ModelRequest): Promise<AsyncIterable<ConverseStreamOutput>> {
    try {
      const { stream } = await this.#client.send(new ConverseStreamCommand(commandInput(request)));
      if (stream === undefined) throw new ModelServiceError('ModelStreamErrorException', 'no stream came', true);
      return stream;
    } catch (error) {
      throw error instanceof ModelServiceError ? error : bedrockFailure(error);
    }
  }
}

async function whole(events: AsyncIterable<ConverseStreamOutput>): Promise<ModelReply> {
  const message = new StreamedMessage();
  for await (const event of events) message.add(event);
  return message.reply();
}
