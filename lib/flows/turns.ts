import { faultTo, invoke, type State, type States, type Step, whenOk } from './states.ts';

export interface TurnsProps {
  readonly agent: string;
  /** Put before each state's name, for flows with several agents. */
  readonly prefix?: string;
  readonly callModel: Step;
  /** What happens for each tool use; its input is `{runId, turn, index, name}`. */
  readonly toolUse: { readonly StartAt: string; readonly States: States };
  readonly parallelTools: number;
  /** Where the flow goes when the agent is done. `$.step.turn` is its last turn. */
  readonly done: string;
}

/**
 * One agent's turns: call the model; for each tool use it asked for, run the tool; call the model again. The state is
 * `{runId, turn}` between turns and `{runId, turn, step}` within one, where `step` is what call-model answered:
 * `{outcome, stopReason, turn, next, toolUses: [{index, name}]}`, at most 16 tool uses. How many turns there may be is
 * call-model's to refuse (`run.maxTurns`).
 */
export function turns(props: TurnsProps): { readonly start: string; readonly states: States } {
  const name = (state: string) => `${props.prefix ?? ''}${state}`;
  const states: Record<string, State> = {
    [name('CallModel')]: invoke(
      props.callModel,
      { 'runId.$': '$.runId', 'turn.$': '$.turn', agent: props.agent },
      { ResultPath: '$.step', Catch: faultTo('Fault'), Next: name('Answered') },
    ),
    [name('Answered')]: whenOk('$.step', name('WantsTools'), 'Refused'),
    [name('WantsTools')]: {
      Type: 'Choice',
      Choices: [{ Variable: '$.step.toolUses[0]', IsPresent: true, Next: name('ToolUses') }],
      Default: props.done,
    },
    [name('ToolUses')]: {
      Type: 'Map',
      ItemsPath: '$.step.toolUses',
      ItemSelector: {
        'runId.$': '$.runId',
        'turn.$': '$.step.turn',
        'index.$': '$$.Map.Item.Value.index',
        'name.$': '$$.Map.Item.Value.name',
      },
      MaxConcurrency: props.parallelTools,
      ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...props.toolUse },
      ResultPath: null,
      Catch: faultTo('Fault'),
      Next: name('NextTurn'),
    },
    [name('NextTurn')]: {
      Type: 'Pass',
      Parameters: { 'runId.$': '$.runId', 'turn.$': '$.step.next' },
      Next: name('CallModel'),
    },
  };
  return { start: name('CallModel'), states };
}

/** A tool use as our own flows do it: run-tool does all of it, and the state learns nothing but that it is done. */
export function runTool(step: Step): { readonly StartAt: string; readonly States: States } {
  return { StartAt: 'RunTool', States: runToolStates(step) };
}

export function runToolStates(step: Step): States {
  return {
    RunTool: invoke(
      step,
      { 'runId.$': '$.runId', 'turn.$': '$.turn', 'index.$': '$.index' },
      { ResultPath: '$.tool', Next: 'ToolRan' },
    ),
    ToolRan: whenOk('$.tool', 'ToolDone', 'ToolRefused'),
    ToolDone: { Type: 'Pass', Parameters: { 'index.$': '$.index' }, End: true },
    // The run may not go on (ended, too old, another flow's): the map fails, and with it the run.
    ToolRefused: { Type: 'Fail', Error: 'ToolRefused', Cause: 'The log of the function names the code.' },
  };
}
