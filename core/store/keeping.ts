import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ContentBlock, ToolResult } from '../content/block.ts';
import type { ExportStore } from '../export/export-store.ts';
import type { JsonValue } from '../json.ts';
import type { Erasures } from '../run/flow-starter.ts';
import type { Grants, Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import type { ResultStore } from './result-store.ts';

export interface KeepPorts {
  readonly store: ResultStore;
  /** Where list tools have put their CSV; without it no export can be confirmed. */
  readonly exports?: Pick<ExportStore, 'headCsv'>;
  readonly catalogue: Catalogue;
  readonly grants: Grants;
  /** Nothing is written for somebody whose data was erased. */
  readonly erasures: Erasures;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly baseUrl: string;
}

export interface KeepRequest {
  readonly run: Run;
  readonly turn: number;
  readonly index: number;
  readonly tool: ToolDefinition;
  readonly result: ToolResult;
  /** The call's arguments: where a tool declares which of them lists the ids it is asked for. */
  readonly input: JsonValue;
  /** Claimed under (run, turn, index) before anything was executed or uploaded. */
  readonly resultId: string;
  readonly callDigest: string;
  /** ISO 8601, UTC: promised before the upload. */
  readonly availableUntil: string;
  readonly supersedes: { readonly ref: string; readonly version: number } | null;
  /** What a wrapper says it stored; believed only after a look at the object itself. */
  readonly reported?: unknown;
  /** The same content stands as a CSV under this id (DESIGN 5.6). */
  readonly exportId?: string;
}

export interface StoredFacts {
  readonly ref: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly records: number;
  readonly unit: 'records' | 'lines';
  readonly availableUntil: string;
}

export interface Kept {
  readonly status: 'success' | 'error';
  readonly content: readonly ContentBlock[];
  /** Null when nothing was stored. */
  readonly stored: StoredFacts | null;
  /** The first block was replaced by a preview. */
  readonly oversize: boolean;
  /** Sentences for operators and developers: no content. */
  readonly warnings: readonly string[];
}
