import type { KeepRequest } from '../../../core/store/keeping.ts';
import { rowsTool, run, session, success } from '../../fakes/run-world.ts';

export const resultId = 'c'.repeat(32);
export const ref = `${session}/${resultId}`;

export const request = (change: Partial<KeepRequest>): KeepRequest => ({
  run,
  turn: 1,
  index: 0,
  tool: rowsTool,
  result: success({ text: 'small' }),
  input: {},
  resultId,
  callDigest: '0'.repeat(64),
  availableUntil: '2026-12-30T12:00:00.000Z',
  supersedes: null,
  ...change,
});
