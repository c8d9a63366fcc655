import { flightRows } from '../../tools/flights/rows.ts';
import type { Question } from './killed-runs.ts';

/** Questions that between them have every function of a run work. */

/** A tool, a list of what is stored, and a read of it. */
export const reading: Question = {
  agent: 'assistant',
  message: [
    'call flights with {}',
    'call list_results with {}',
    'call read_result with {"ref": "$ref", "offset": 0, "limit": 1}',
  ].join('\nthen\n'),
  agents: ['assistant'],
  answer: new RegExp(`list_results answered:[\\s\\S]*read_result answered:[\\s\\S]*"total":${flightRows}`),
};

/** A tool and an analysis of what it made, whose answer is kept. */
export const computing: Question = {
  agent: 'assistant',
  message: [
    'call flights with {}',
    'call analyze_result with {"inputs": {"data": "$ref"}, "sql": "SELECT count(*) AS n FROM data", "keep": true}',
  ].join('\nthen\n'),
  agents: ['assistant'],
  answer: new RegExp(`analyze_result answered:[\\s\\S]*${flightRows}`),
};

/** A tool that stores its result by itself; `records` are those that it makes. */
export const counting = (records: number): Question => ({
  agent: 'assistant',
  message: 'How many services does the status report hold?',
  agents: ['assistant'],
  answer: new RegExp(`${records} services`),
});

/** A flow that invokes its tool itself. */
export const noting: Question = { agent: 'notes', message: 'Which notes are there?', agents: ['notes'], answer: /\S/ };

/** Three agents, each handing on to the next; a text that is shortened and stored on the way. */
export const researching: Question = {
  agent: 'research',
  message: 'Report in detail on the flights.',
  agents: ['fetcher', 'analyst', 'writer'],
  answer: /At the end stands/,
};
