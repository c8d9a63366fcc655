import type { HistoryEvent } from '@aws-sdk/client-sfn';
import { largestPayload, statesOf, statesTable } from '../../../local/execution-states.ts';

const at = new Date(0);
const entered = (id: number, previousEventId: number, name: string, input: string): HistoryEvent => ({
  id,
  previousEventId,
  timestamp: at,
  type: 'TaskStateEntered',
  stateEnteredEventDetails: { name, input },
});
const exited = (id: number, previousEventId: number, name: string, output: string): HistoryEvent => ({
  id,
  previousEventId,
  timestamp: at,
  type: 'TaskStateExited',
  stateExitedEventDetails: { name, output },
});

test('an exit belongs to the entry that its events lead back to, also when iterations overlap', () => {
  const events = [
    entered(1, 0, 'run tool', '{"index":0}'),
    entered(2, 0, 'run tool', '{"index":10}'),
    exited(3, 2, 'run tool', 'second'),
    exited(4, 1, 'run tool', 'ü'),
  ];
  expect(statesOf(events)).toEqual([
    { state: 'run tool', inputBytes: 11, outputBytes: 2 },
    { state: 'run tool', inputBytes: 12, outputBytes: 6 },
  ]);
});

test('a state that never ended has no output; the largest payload counts UTF-8 bytes', () => {
  const states = statesOf([entered(1, 0, 'call model', '€€')]);
  expect(states).toEqual([{ state: 'call model', inputBytes: 6, outputBytes: null }]);
  expect(largestPayload(states)).toBe(6);
  expect(statesTable(states)).toMatch(/call model\s+6\s+-/);
});

test('a task’s answer counts too, also where its state is not recorded', () => {
  const answered: HistoryEvent = {
    id: 1,
    timestamp: at,
    type: 'TaskSucceeded',
    taskSucceededEventDetails: {
      resource: 'arn:aws:lambda:::function:claimcheck-run-tool',
      resourceType: 'lambda',
      output: 'x'.repeat(3000),
    },
  };
  expect(statesOf([answered])).toEqual([{ state: '(claimcheck-run-tool)', inputBytes: 0, outputBytes: 3000 }]);
  expect(largestPayload(statesOf([answered]))).toBe(3000);
});
