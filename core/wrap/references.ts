import { randomBytes } from 'node:crypto';
import { type AnalysisPorts, analyzeResult } from '../analysis/analyze-result.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { SealingSecret } from '../catalogue/cursor.ts';
import { listResults } from '../catalogue/list-results.ts';
import { ClaimcheckError } from '../errors.ts';
import { earlierOversize, noteRepeat, recordOversize, repeatAnswer } from '../flow/repeated-call.ts';
import { reusedOutcome } from '../flow/stored-answer.ts';
import type { Replacements } from '../guard/replacements.ts';
import type { JsonValue } from '../json.ts';
import { readResult } from '../read/read-result.ts';
import { newId } from '../reference/reference.ts';
import type { Erasures } from '../run/flow-starter.ts';
import type { Outcomes } from '../run/outcomes.ts';
import type { Grants, Run } from '../run/run.ts';
import { defaultSettings, type Settings } from '../settings.ts';
import type { KeepPorts, KeepRequest, Kept } from '../store/keeping.ts';
import type { ResultStore } from '../store/result-store.ts';
import { type Clock, silentTelemetry, systemClock, type Telemetry } from '../telemetry/telemetry.ts';
import { analyzeResultTool, analyzeResultWithPython } from '../tool/builtin-analyze.ts';
import { isObject } from '../tool/call-digest.ts';
import type { ToolCatalogue, ToolDefinition } from '../tool/tool-definition.ts';
import { inTime } from './in-time.ts';
import { keepProduced, unkeptContent } from './keep-produced.ts';
import { PlacedCall, type WrappedCall } from './placed-call.ts';
import { processRun, type RequestContext } from './request-context.ts';
import { RunMemory } from './run-memory.ts';
import { processTools, type ToolRules } from './tool-rules.ts';
import type { Produced } from './tool-source.ts';
import { Turns } from './turns.ts';
import { pooledStore, UploadPool } from './upload-pool.ts';

export type { WrappedCall } from './placed-call.ts';

/** What a process keeps results in, and by which rules. */
export interface ReferencesOptions {
  readonly store: ResultStore;
  readonly catalogue: Catalogue;
  /** Rules by tool name. */
  readonly tools?: Readonly<Record<string, ToolRules>>;
  /** Rules of every tool that is not listed. */
  readonly anyTool?: ToolRules;
  readonly settings?: Settings;
  /** Uploads at once. Default 4. */
  readonly parallelUploads?: number;
  /** `publicBaseUrl` of a deployment that serves the same store; without it no link is named. */
  readonly baseUrl?: string;
  /** Seals cursors of lists: the same in every process that may be given one. Default: this process's own. */
  readonly secret?: SealingSecret;
  /** Computes over stored results; without one `analyze_result` is not offered. */
  readonly analysis?: Pick<AnalysisPorts, 'engine' | 'signedUrl' | 'limits' | 'python' | 'staging'>;
  readonly grants?: Grants;
  readonly outcomes?: Outcomes;
  readonly replacements?: Replacements;
  readonly erasures?: Erasures;
  readonly telemetry?: Telemetry;
  readonly clock?: Clock;
}

/** Answer of one of the tools that read what is stored. */
export interface ReaderAnswer {
  readonly status: 'success' | 'error';
  readonly text: string;
}

/**
 * Tool results by reference inside one process: the same core and stores as the deployed platform, without its flow.
 * Every adapter for a framework, the wrapper and the MCP server stand on this.
 */
export class References {
  readonly settings: Settings;
  readonly tools: ToolCatalogue;
  readonly memory = new RunMemory();
  readonly pool: UploadPool;
  /** How `analyze_result` is offered, where there is an engine for it. */
  readonly analysis:
    | { readonly tool: ToolDefinition; readonly ports: NonNullable<ReferencesOptions['analysis']> }
    | undefined;
  readonly ports: KeepPorts & { readonly outcomes: Outcomes; readonly replacements: Replacements };
  readonly #turns: Turns;
  readonly #oversized = new Set<string>();
  readonly #secret: SealingSecret;
  readonly #runs = new Map<string, Run>();

  constructor(options: ReferencesOptions) {
    this.settings = options.settings ?? defaultSettings;
    this.pool = new UploadPool({
      timeoutMs: this.settings.storage.uploadTimeoutMs,
      ...(options.parallelUploads === undefined ? {} : { parallel: options.parallelUploads }),
    });
    this.#turns = new Turns(2 * (options.parallelUploads ?? 4), this.settings.storage.uploadTimeoutMs);
    this.tools = processTools(options.tools ?? {}, options.anyTool ?? {}, this.settings.insert.maxBytes);
    this.analysis =
      options.analysis === undefined
        ? undefined
        : { tool: options.analysis.python ? analyzeResultWithPython : analyzeResultTool, ports: options.analysis };
    this.#secret = options.secret ?? randomBytes(32);
    this.ports = {
      store: pooledStore(options.store, this.pool),
      catalogue: options.catalogue,
      grants: options.grants ?? this.memory.grants,
      outcomes: options.outcomes ?? this.memory.outcomes,
      replacements: options.replacements ?? this.memory.replacements,
      erasures: options.erasures ?? { isErased: async () => false },
      telemetry: options.telemetry ?? silentTelemetry,
      clock: options.clock ?? systemClock,
      settings: this.settings,
      baseUrl: options.baseUrl ?? '',
    };
  }

  /** The run of a context: one for the same owner, session and run. Throws `Forbidden` for an empty owner. */
  run(context: RequestContext): Run {
    const key = JSON.stringify([context.owner, context.session, context.run, context.roles, context.references]);
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    const run = processRun(context, this.ports.clock.now());
    this.#runs.set(key, run);
    const oldest = this.#runs.keys().next().value;
    if (this.#runs.size > 1_000 && oldest !== undefined) this.#runs.delete(oldest);
    return run;
  }

  /**
   * One call of a tool: executes it, unless this very call has already made an oversize result in this run (then the
   * stored version answers, DESIGN 9), and keeps what it made. `null`: within the budget, so that what the tool
   * returned stands as it is. Throws what `execute` throws.
   */
  async call<T>(
    call: WrappedCall,
    execute: () => T | Promise<T>,
    produced: (made: T) => Produced,
  ): Promise<{ readonly made: T | undefined; readonly kept: Kept | null }> {
    const placed = new PlacedCall(call, this.memory.nextIndex(call.run.runId));
    const repeated = await this.#repeated(placed);
    if (repeated !== undefined) return { made: undefined, kept: repeated };
    const made = await execute();
    return { made, kept: await this.#keep(placed, produced(made)) };
  }

  /**
   * The answer to a call that has already made an oversize result in this run; undefined when it is to be executed: it
   * is the first one, `refresh` asks for a new version, or the stored one is gone. A tool marked `reuse` is answered by
   * what an earlier run of the session has stored, too.
   */
  repeated(call: WrappedCall): Promise<Kept | undefined> {
    return this.#repeated(new PlacedCall(call, this.memory.nextIndex(call.run.runId)));
  }

  async #repeated(placed: PlacedCall): Promise<Kept | undefined> {
    const { outcomes } = this.ports;
    const tool = this.tools.find(placed.toolUse.name) as ToolDefinition;
    // In memory it is known without a look that this run has made none.
    const none = outcomes === this.memory.outcomes && !this.#oversized.has(placed.run.runId);
    if (none && tool.reuse === undefined) return undefined;
    const refresh = isObject(placed.input) && placed.input['refresh'] === true;
    const repeated = await this.#besides(placed, async () => {
      const earlier = none ? [] : await earlierOversize(placed, outcomes);
      if (earlier.length > 0 && (!refresh || earlier.length > this.settings.run.maxRefreshes)) {
        const answer = await repeatAnswer(placed, earlier, refresh, this.ports);
        if (answer !== undefined) noteRepeat(placed, earlier, refresh, this.ports.telemetry);
        if (answer !== undefined) return answer;
      }
      return refresh ? undefined : reusedOutcome(placed, tool, null, { ...this.ports, tools: this.tools });
    });
    if (repeated === undefined) return undefined;
    const { run, toolUseId, toolUse } = placed;
    this.memory.remember(run.runId, toolUseId, { tool: toolUse.name, ref: repeated.ref });
    return { status: repeated.status, content: repeated.content, stored: null, oversize: false, warnings: [] };
  }

  /** Keeps what a tool has made already; `null` when it is within the budget. */
  keep(call: WrappedCall, produced: Produced): Promise<Kept | null> {
    return this.#keep(new PlacedCall(call, this.memory.nextIndex(call.run.runId)), produced);
  }

  /** Without an owner nothing is stored: what does not fit is shown in part, and the answer says so. */
  unkept(tool: string, produced: Produced): Promise<Kept | null> {
    const definition = this.tools.find(tool);
    return unkeptContent(definition as NonNullable<typeof definition>, produced, this.ports);
  }

  /** `list_results` for a run. Never raises for what a model asked wrongly. */
  list(run: Run, input: unknown): Promise<ReaderAnswer> {
    return this.#answer(run, async () => {
      const given = isObject(input as JsonValue) ? (input as Readonly<Record<string, unknown>>) : {};
      const query = { tool: optionalText('tool', given['tool']), cursor: optionalText('cursor', given['cursor']) };
      const { text } = await listResults(run, query, { ...this.ports, tools: this.tools, secret: this.#secret });
      return text;
    });
  }

  /** `read_result` for a run, in at most `maxBytes` when those are fewer than a read may have. */
  read(
    run: Run,
    input: unknown,
    options: { readonly toolUseId?: string; readonly maxBytes?: number } = {},
  ): Promise<ReaderAnswer> {
    return this.#answer(run, async () => {
      const given = isObject(input as JsonValue) ? (input as Readonly<Record<string, unknown>>) : {};
      const answer = await readResult(run, given, { ...this.ports, tools: this.tools }, options.maxBytes ?? null);
      if (options.toolUseId !== undefined) {
        const { ref } = answer.delivered;
        this.memory.remember(run.runId, options.toolUseId, {
          tool: 'read_result',
          ref,
          delivered: answer.delivered as JsonValue,
        });
      }
      return answer.text;
    });
  }

  /** `analyze_result` for a run, in a text that takes at most `maxBytes` inside a message. */
  analyze(
    run: Run,
    input: unknown,
    { toolUseId, maxBytes }: { readonly toolUseId?: string; readonly maxBytes?: number } = {},
  ): Promise<ReaderAnswer> {
    return this.#answer(run, async () => {
      if (this.analysis === undefined) throw new ClaimcheckError('UnknownTool', 'analyze_result: there is no engine');
      const given = isObject(input as JsonValue) ? (input as Readonly<Record<string, unknown>>) : {};
      const call = { turn: 0, index: this.memory.nextIndex(run.runId) };
      // Roles come with the context of each run: they are the ones held now.
      const roles = { rolesOf: async () => run.roles };
      const settings = maxBytes === undefined ? this.settings : withAnalysisBytes(this.settings, maxBytes);
      const ports = { ...this.ports, ...this.analysis.ports, settings, tools: this.tools, roles };
      const { text, delivered } = await analyzeResult(run, call, given, ports);
      if (toolUseId !== undefined)
        this.memory.remember(run.runId, toolUseId, { tool: 'analyze_result', ref: null, delivered });
      return text;
    });
  }

  async #keep(placed: PlacedCall, produced: Produced): Promise<Kept | null> {
    const { run, toolUseId } = placed;
    const definition = this.tools.find(placed.toolUse.name) as KeepRequest['tool'];
    const request = () => ({
      run,
      turn: placed.turn,
      index: placed.index,
      tool: definition,
      input: placed.input,
      resultId: newId(),
      callDigest: placed.digest,
      availableUntil: new Date(
        this.ports.clock.now().getTime() + this.settings.storage.retentionDays * 86_400_000,
      ).toISOString(),
      supersedes: null,
    });
    const kept = await keepProduced({ run, tool: definition }, request, produced, {
      ...this.ports,
      turns: this.#turns,
    });
    this.memory.remember(run.runId, toolUseId, { tool: definition.name, ref: kept?.stored?.ref ?? null });
    if (kept?.oversize && kept.stored !== null) {
      const { ref } = kept.stored;
      await this.#besides(placed, () => recordOversize(placed, { ref }, this.ports));
      this.#oversized.add(run.runId);
      const oldest = this.#oversized.values().next().value;
      if (this.#oversized.size > 1_000 && oldest !== undefined) this.#oversized.delete(oldest);
    }
    return kept;
  }

  /** What is remembered of calls is beside their results: trouble with it is logged, and the call goes on without. */
  async #besides<T>({ run, toolUse }: PlacedCall, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await inTime(this.settings.storage.uploadTimeoutMs, work);
    } catch (error) {
      const reason = error instanceof Error ? error.name : typeof error;
      this.ports.telemetry.decision('repeat_unknown', { runId: run.runId, tool: toolUse.name, reason });
      return undefined;
    }
  }

  async #answer(run: Run, work: () => Promise<string>): Promise<ReaderAnswer> {
    try {
      return { status: 'success', text: await work() };
    } catch (error) {
      if (!(error instanceof ClaimcheckError)) throw error;
      this.ports.telemetry.decision('refused', { code: error.code, retryable: error.retryable, runId: run.runId });
      this.ports.telemetry.count('Refusal', 1, { code: error.code });
      return { status: 'error', text: `${error.code}: ${error.message}` };
    }
  }
}

/** Quotes and backslashes of JSON take two bytes inside a message: it is never computed again to make it shorter. */
function withAnalysisBytes(settings: Settings, maxBytes: number): Settings {
  const { analysis } = settings;
  return { ...settings, analysis: { ...analysis, maxBytes: Math.min(analysis.maxBytes, Math.floor(maxBytes / 2)) } };
}

function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ClaimcheckError('InvalidInput', `${name}: expected a text`);
  return value;
}
