import type { Clock } from '../core/telemetry/telemetry.ts';
import type { TableAccess } from './table-pages.ts';

/** The runs table and how long its items are kept. */
export interface RunTable extends TableAccess {
  readonly clock: Clock;
  /** Seconds until an item is removed: at least as long as the results that a run's grants name. */
  readonly keepSeconds: number;
}

export const runPartition = (runId: string): string => `run#${runId}`;
export const four = (value: number): string => String(value).padStart(4, '0');

/** TTL in whole seconds since the epoch; a value in milliseconds would mean "never" (case H066). */
export function expiry({ clock, keepSeconds }: RunTable): number {
  return Math.floor(clock.now().getTime() / 1000) + keepSeconds;
}
