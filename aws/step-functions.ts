import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { FlowStarter } from '../core/run/flow-starter.ts';

/** Starts Standard workflows: the execution's name is the run's id, so a second start is the same one. */
export class StepFunctionsStarter implements FlowStarter {
  readonly #client: SFNClient;

  constructor(client: SFNClient) {
    this.#client = client;
  }

  async start(stateMachineArn: string, runId: string): Promise<void> {
    try {
      await this.#client.send(
        new StartExecutionCommand({
          stateMachineArn,
          name: runId,
          input: JSON.stringify({ runId, turn: 0 }),
        }),
      );
    } catch (error) {
      // With the same input a running execution answers success; one that has ended answers this.
      if ((error as Error).name !== 'ExecutionAlreadyExists') throw error;
    }
  }
}
