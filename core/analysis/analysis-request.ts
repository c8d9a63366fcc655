import { wellFormed } from '../content/well-formed.ts';
import { ClaimcheckError } from '../errors.ts';
import { chartQuery, valueColumn } from './chart-query.ts';
import { type ChartSpec, parseChart } from './chart-spec.ts';
import type { EngineProgram } from './engine.ts';

/** Most results of one analysis. */
export const maxInputs = 8;
/** Longest program, in bytes. */
export const maxProgramBytes = 64 * 1024;

const inputName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

export interface AnalysisRequest {
  readonly program: EngineProgram;
  readonly chart: ChartSpec | null;
  readonly keep: boolean;
}

/** The named references of an analysis. Throws `InvalidInput`; whether they may be read is not looked at here. */
export function parseInputs(value: unknown): readonly (readonly [name: string, ref: unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('inputs: expected an object of names and references, e.g. {"data": "<ref>"}');
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > maxInputs) {
    throw invalid(`inputs: expected 1 to ${maxInputs} references, found ${entries.length}`);
  }
  const lower = new Set(entries.map(([name]) => name.toLowerCase()));
  if (lower.size < entries.length) throw invalid('inputs: names that differ only in case are one name in SQL');
  for (const [name] of entries) {
    if (!inputName.test(name)) throw invalid('inputs: a name has letters, digits and _, and begins with no digit');
  }
  return entries;
}

/**
 * The rest of the arguments. Throws `InvalidInput` naming the one that is wrong. Without an engine for Python there is no
 * such argument.
 */
export function parseRequest(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
  withPython = false,
): AnalysisRequest {
  const known = new Set(['inputs', 'sql', 'script', 'chart', 'keep', ...(withPython ? ['python'] : [])]);
  const unknown = Object.keys(input).filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw invalid(`${wellFormed((unknown[0] as string).slice(0, 64))}: there is no such argument`);
  const sql = text(input['sql'], 'sql');
  const script = text(input['script'], 'script');
  const python = text(input['python'], 'python');
  const keep = input['keep'] ?? false;
  if (typeof keep !== 'boolean') throw invalid('keep: expected true or false');
  if ([sql, script, python].filter((program) => program !== null).length > 1) {
    throw invalid('give one program: sql or script, not both');
  }
  const chart = input['chart'] === undefined || input['chart'] === null ? null : parseChart(input['chart']);
  if (sql !== null) return { program: { kind: 'sql', text: sql }, chart, keep };
  if (script !== null) return { program: { kind: 'script', text: script }, chart, keep };
  if (python !== null) {
    if (chart !== null) throw invalid('chart: draw with sql or script, not with python');
    return { program: { kind: 'python', text: python }, chart: null, keep };
  }
  if (chart === null) throw invalid('give sql, script or chart');
  if (names.length !== 1) throw invalid('a chart without sql or script takes exactly one input');
  // The query aggregates over every record; what comes out of it is drawn as it is.
  const { aggregate: _done, ...drawn } = chart;
  const program = { kind: 'sql', text: chartQuery(chart, names[0] as string) } as const;
  return { program, chart: { ...drawn, y: valueColumn(chart) }, keep };
}

function text(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.trim() === '') throw invalid(`${name}: expected a text`);
  // To some engines it is the end of a text: what stands behind it would be left out silently.
  if (value.includes('\0')) throw invalid(`${name}: expected a text without the character U+0000`);
  if (Buffer.byteLength(value, 'utf8') > maxProgramBytes) {
    throw new ClaimcheckError('AnalysisLimit', `${name}: more than ${maxProgramBytes} bytes`);
  }
  return value;
}

function invalid(message: string): ClaimcheckError {
  return new ClaimcheckError('InvalidInput', message);
}
