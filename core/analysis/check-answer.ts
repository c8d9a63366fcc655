import { ClaimcheckError } from '../errors.ts';
import type { EngineTable, EngineValue } from './engine.ts';
import { readValueText } from './value-text.ts';

/**
 * Looks at what an engine says before any of it is written into an answer or stored: its texts are taken over as they
 * are, and one that is more than a value could speak for the platform there, of coverage for instance. Throws
 * `AnalysisFailed`.
 */
export function checkAnswer(answer: EngineTable | EngineValue): void {
  const sound =
    answer.outcome === 'value'
      ? readValueText(answer.text, 0).fault === null
      : answer.rowCount >= answer.rows.length &&
        answer.rows.every((row) => row.length === answer.columns.length && row.every(isValue));
  if (!sound) throw new ClaimcheckError('AnalysisFailed', 'analysis: the engine answered nothing usable');
}

function isValue(cell: string): boolean {
  try {
    JSON.parse(cell);
    return true;
  } catch {
    return false;
  }
}
