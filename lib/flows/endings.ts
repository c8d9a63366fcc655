import { faultTo, invoke, type States, type Step, whenOk } from './states.ts';

/**
 * The states every flow ends with. `SaveTurn` keeps the answer; `Refused` keeps a failed turn with the code that a
 * function answered under `$.step`; `Fault` keeps one for an exception. A run whose failed turn cannot even be saved
 * fails all the same, and the status rule closes it.
 */
export function endings(saveTurn: Step): States {
  return {
    SaveTurn: invoke(
      saveTurn,
      { 'runId.$': '$.runId' },
      { ResultPath: '$.step', Catch: faultTo('Fault'), Next: 'Saved' },
    ),
    Saved: whenOk('$.step', 'Done', 'Refused'),
    Done: { Type: 'Pass', Parameters: { 'runId.$': '$.runId' }, End: true },
    Refused: invoke(
      saveTurn,
      { 'runId.$': '$.runId', failure: { 'code.$': '$.step.code' } },
      { ResultPath: null, Catch: faultTo('Failed'), Next: 'Failed' },
    ),
    Fault: invoke(
      saveTurn,
      { 'runId.$': '$.runId', failure: { code: 'Fault' } },
      { ResultPath: null, Catch: faultTo('Failed'), Next: 'Failed' },
    ),
    Failed: { Type: 'Fail', Error: 'RunFailed', Cause: 'The failed turn in the chat says why.' },
  };
}
