/** Tool results by reference for any process: the wrapper, its store in a folder, and what the adapters stand on. */
export type { ContentBlock, ToolResult } from '../core/content/block.ts';
export { ClaimcheckError, type ErrorCode } from '../core/errors.ts';
export { defaultSettings, type Settings } from '../core/settings.ts';
export type { Kept } from '../core/store/keeping.ts';
export type { ResultStore } from '../core/store/result-store.ts';
export type { Clock, Telemetry } from '../core/telemetry/telemetry.ts';
export { References, type ReferencesOptions } from '../core/wrap/references.ts';
export type { ContextOf, RequestContext } from '../core/wrap/request-context.ts';
export type { ToolRules } from '../core/wrap/tool-rules.ts';
export { UploadPool } from '../core/wrap/upload-pool.ts';
export { type WrapSettings, withResultsByReference } from '../core/wrap/with-results-by-reference.ts';
export { FileCatalogue } from '../files/file-catalogue.ts';
export { FileResultStore } from '../files/file-result-store.ts';
export { type ResultsFolder, resultsFolder } from '../files/results-folder.ts';
export { type SweepOptions, type Swept, sweepFolder } from '../files/sweep.ts';
