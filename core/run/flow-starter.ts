/** Starts executions of agent flows. */
export interface FlowStarter {
  /** Idempotent by name: a second start of the same run is a success, whether the first still runs or has ended. */
  start(stateMachineArn: string, runId: string): Promise<void>;
}

/** People whose data was erased: nothing is admitted or written for them any more. */
export interface Erasures {
  isErased(owner: string): Promise<boolean>;
}

/** Runs of one owner that have not ended, for the limit on parallel runs. */
export interface ActiveRuns {
  /** Enters a run (again: no change) and answers the ids of the owner's runs that are entered, this one included. */
  enter(owner: string, runId: string): Promise<readonly string[]>;
  leave(owner: string, runId: string): Promise<void>;
}
