/** A state of the Amazon States Language (JSONPath). Definitions are plain data, so that they read like the graph. */
export type State = Readonly<Record<string, unknown>>;
export type States = Readonly<Record<string, State>>;

export interface Definition {
  readonly Comment: string;
  readonly StartAt: string;
  readonly TimeoutSeconds: number;
  readonly States: States;
}

/** A function as a task sees it: its ARN, and how long it may take by itself. */
export interface Step {
  readonly arn: string;
  readonly timeoutSeconds: number;
}

/** Seconds that a task waits beyond its function's own limit, so that the function ends first and says why. */
const taskMarginSeconds = 10;

/** From the context object: a function refuses a run whose recorded state machine is another. */
const flow = { 'execution.$': '$$.Execution.Id', 'stateMachine.$': '$$.StateMachine.Id' };

/**
 * A start that Lambda refused because too many run is the one thing repeated here: nothing was executed, so attempts
 * are not multiplied (DESIGN 9). Two repeats; after that, the run ends with a clear failed turn.
 */
const throttledStart = [
  {
    ErrorEquals: ['Lambda.TooManyRequestsException'],
    IntervalSeconds: 1,
    MaxAttempts: 2,
    BackoffRate: 3,
    JitterStrategy: 'FULL',
  },
];

/** Invokes a function with exactly these parameters and the flow's identity. */
export function invoke(step: Step, parameters: Readonly<Record<string, unknown>>, rest: State): State {
  return task(step, { ...parameters, flow }, rest);
}

/** Invokes a function that is no part of the platform: without the flow's identity. */
export function task(step: Step, parameters: Readonly<Record<string, unknown>>, rest: State): State {
  return {
    Type: 'Task',
    Resource: step.arn,
    Parameters: parameters,
    TimeoutSeconds: step.timeoutSeconds + taskMarginSeconds,
    Retry: throttledStart,
    ...rest,
  };
}

/** A fault: what it says is dropped (it could hold data); the failed turn names only where it happened. */
export function faultTo(next: string): readonly State[] {
  return [{ ErrorEquals: ['States.ALL'], ResultPath: null, Next: next }];
}

/** Continues when a function answered `outcome: "ok"` under `path`. */
export function whenOk(path: string, next: string, otherwise: string): State {
  return {
    Type: 'Choice',
    Choices: [{ Variable: `${path}.outcome`, StringEquals: 'ok', Next: next }],
    Default: otherwise,
  };
}
