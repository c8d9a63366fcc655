import type { StagingPlace } from '../core/analysis/staging.ts';
import type { ExportAddress } from '../core/export/export-store.ts';
import type { ResultAddress } from '../core/store/result-store.ts';

/** The one place where a result's object keys are made (docs/contracts.md). */
export function bodyKey({ owner, session, id }: ResultAddress): string {
  return `results/${owner}/${session}/${id}/body`;
}

export function indexKey({ owner, session, id }: ResultAddress): string {
  return `results/${owner}/${session}/${id}/index`;
}

export function exportKey({ owner, id }: ExportAddress): string {
  return `exports/${owner}/${id}`;
}

export function stagingKey({ owner, id }: StagingPlace): string {
  return `staging/${owner}/${id}`;
}
