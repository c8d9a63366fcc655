import type { Outcomes } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { Analysis, AnalysisCall } from './analyze-result.ts';

const key = ({ turn, index }: AnalysisCall): string => `analysis/${turn}/${index}`;

/** What this very call was answered before; undefined when it was not. */
export function passedAnalysis(
  run: Run,
  call: AnalysisCall,
  outcomes: Pick<Outcomes, 'find'>,
): Promise<Analysis | undefined> {
  return outcomes.find<Analysis>(run.runId, key(call));
}

/** Records the answer, create-only, and answers the one that stands there. */
export async function recordAnalysis(
  run: Run,
  call: AnalysisCall,
  analysis: Analysis,
  outcomes: Pick<Outcomes, 'record'>,
): Promise<Analysis> {
  return (await outcomes.record(run.runId, key(call), analysis)).outcome;
}
