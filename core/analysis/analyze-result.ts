import { ClaimcheckError } from '../errors.ts';
import { type GrantCheckPorts, openGranted, refusePicture } from '../grant/check-grant.ts';
import type { KeepTextPorts } from '../hand-off/keep-text.ts';
import { currentRoles, type RoleSource } from '../identity/role-source.ts';
import type { JsonValue } from '../json.ts';
import type { Outcomes } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { ResultAddress } from '../store/result-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { passesGates } from '../tool/tool-definition.ts';
import { passedAnalysis, recordAnalysis } from './analysis-outcome.ts';
import { type AnalysisRequest, parseInputs, parseRequest } from './analysis-request.ts';
import { type AnalysisAnswer, answerOf, type Source } from './answer.ts';
import { checkAnswer } from './check-answer.ts';
import type { AnalysisEngine, EngineLimits } from './engine.ts';
import { engineInputs } from './engine-inputs.ts';
import { keepOutputs } from './keep-outputs.ts';
import { nothingStaged, type StagedOutputs, stageOutputs } from './staged-outputs.ts';
import type { Staging } from './staging.ts';

export interface AnalysisPorts extends GrantCheckPorts, KeepTextPorts {
  readonly store: GrantCheckPorts['store'] & KeepTextPorts['store'];
  readonly catalogue: GrantCheckPorts['catalogue'];
  readonly grants: GrantCheckPorts['grants'];
  readonly clock: KeepTextPorts['clock'];
  readonly outcomes: Pick<Outcomes, 'find' | 'record'>;
  /** Where roles are looked up now: the recorded ones are not enough for an engine (DESIGN 7.5). */
  readonly roles: RoleSource;
  readonly engine: AnalysisEngine;
  /** Where Python runs; absent where it is not offered. */
  readonly python?: AnalysisEngine | undefined;
  /** A short-lived address of one exact body. */
  readonly signedUrl: (address: ResultAddress) => Promise<string>;
  /** Where the engine leaves what is larger than its answer; absent: `keep` stores what fits the answer. */
  readonly staging?: Staging | undefined;
  readonly erasures: { isErased(owner: Run['owner']): Promise<boolean> };
  readonly limits: EngineLimits;
  readonly settings: KeepTextPorts['settings'] & Pick<Settings, 'analysis'>;
  readonly baseUrl: string;
  readonly telemetry: Telemetry;
}

export interface AnalysisCall {
  readonly turn: number;
  readonly index: number;
  /** For log lines alone. */
  readonly toolUseId?: string | undefined;
}

export interface Analysis {
  readonly text: string;
  readonly delivered: JsonValue;
}

/**
 * `analyze_result` (DESIGN 5.8): one query, script or chart over stored results of this run, computed over every record.
 * References are checked one by one, then the arguments, then the roles held now; only then does an engine learn that
 * there is anything. A repeated event is answered from its recorded outcome. At most `analysis.maxBytes` of UTF-8.
 *
 * Throws `BadReference`, `NotFound`, `Expired`, `InvalidInput`, `RoleRevoked`, `RolesUnavailable`, `AnalysisFailed`,
 * `AnalysisLimit`, `StorageUnavailable`, `ToolUnavailable`; an answer is never a part that is presented as the whole.
 */
export async function analyzeResult(
  run: Run,
  call: AnalysisCall,
  input: Readonly<Record<string, unknown>>,
  ports: AnalysisPorts,
): Promise<Analysis> {
  const recorded = await passedAnalysis(run, call, ports.outcomes);
  if (recorded !== undefined) return recorded;
  const named = parseInputs(input['inputs']);
  const sources: Source[] = [];
  for (const [name, ref] of named) sources.push({ name, ...(await openGranted(run, ref, ports)) });
  const request = parseRequest(
    input,
    named.map(([name]) => name),
    ports.python !== undefined,
  );
  await checkRoles(run, sources, ports);
  for (const { name, index } of sources) refusePicture(index, name);
  if (await ports.erasures.isErased(run.owner)) {
    throw new ClaimcheckError('NotFound', 'ref: this run holds no such result');
  }

  const staged = await stagedFor(run, request, ports);
  const engine = request.program.kind === 'python' && ports.python !== undefined ? ports.python : ports.engine;
  const answer = await engine.run({
    inputs: await engineInputs(sources, ports),
    program: request.program,
    chart: request.chart,
    limits: ports.limits,
    uploads: staged.uploads,
    call: { runId: run.runId, session: run.session, ...call },
  });
  if (answer.outcome === 'error') {
    ports.telemetry.decision('analysis', { outcome: answer.code, program: request.program.kind });
    if (answer.code === 'StorageUnavailable') ports.telemetry.count('StorageRefusal');
    throw new ClaimcheckError(answer.code, answer.message);
  }
  checkAnswer(answer);
  const kept = await keepOutputs(run, call, answer, request.keep, sources, staged, ports);
  const bounded: AnalysisAnswer = answerOf(answer, sources, kept, {
    maxBytes: ports.settings.analysis.maxBytes,
    baseUrl: ports.baseUrl,
  });
  ports.telemetry.decision('analysis', {
    outcome: 'ok',
    program: request.program.kind,
    inputs: sources.length,
    records: sources.reduce((sum, { index }) => sum + index.records, 0),
    rows: bounded.rowCount,
    shown: bounded.shown,
    kept: kept.answer?.ref ?? null,
    chart: kept.picture?.ref ?? null,
  });
  return recordAnalysis(run, call, { text: bounded.text, delivered: bounded.delivered }, ports.outcomes);
}

/** Python’s answers come in the service's own messages: it uploads nothing. */
async function stagedFor(run: Run, request: AnalysisRequest, ports: AnalysisPorts): Promise<StagedOutputs> {
  const { keep, chart, program } = request;
  const { staging, telemetry } = ports;
  if (staging === undefined || program.kind === 'python' || (!keep && chart === null)) return nothingStaged;
  return stageOutputs(
    run,
    { keep, chart: chart !== null },
    { staging, telemetry },
    ports.settings.analysis.keepMaxBytes,
  );
}

async function checkRoles(run: Run, sources: readonly Source[], ports: AnalysisPorts): Promise<void> {
  const roles = await currentRoles(ports.roles, { username: run.username }, ports.telemetry);
  for (const { name, entry } of sources) {
    if (passesGates(ports.tools, entry.gates, roles)) continue;
    throw new ClaimcheckError('RoleRevoked', `${name}: the roles held now no longer allow results of ${entry.tool}`, {
      tool: entry.tool,
    });
  }
}
