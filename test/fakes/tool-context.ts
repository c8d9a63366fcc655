import type { ToolContext } from '../../core/tool/tool-definition.ts';
import { runId, session } from './run-world.ts';

/** The id that is claimed for the result of this call. */
export const resultId = 'c'.repeat(32);

/** What a tool's own function is told by the platform, of the run of `run-world.ts`. */
export const toolContext: ToolContext = {
  runId,
  turn: 2,
  index: 1,
  toolUseId: 'use-1',
  tool: 'rows',
  owner: 'ada',
  session,
  roles: ['analyst'],
  deadline: new Date(Date.now() + 60_000).toISOString(),
  resultId,
  availableUntil: '2026-12-30T00:00:00.000Z',
};

/** Where a body of this call stands in `MemoryResultStore`. */
export const bodyKey = `ada/${session}/${resultId}`;
