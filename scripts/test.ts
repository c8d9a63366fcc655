import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { localFolder } from '../local/folder.ts';
import { pythonEnvironment } from '../local/python-environment.ts';
import { ensureChromium } from './chromium.ts';
import { ensureLibreOffice } from './libreoffice.ts';

/**
 * `npm test [-- lint|types|unit|stacks|integration|e2e …]`: every check there is, in this order. Makes what the tests
 * need first. The last line is `N passed, N failed`; lint and types count as one check each.
 */
const checkout = resolve(import.meta.dirname, '..');
const checks = ['lint', 'types', 'unit', 'stacks', 'integration', 'e2e'] as const;
type Check = (typeof checks)[number];

interface Outcome {
  readonly check: Check;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}

async function main(): Promise<number> {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !checks.some((check) => check === name));
  if (unknown.length > 0) {
    process.stderr.write(`test: expected some of ${checks.join(', ')}, found ${unknown.join(', ')}\n`);
    return 2;
  }
  const wanted = checks.filter((check) => asked.length === 0 || asked.includes(check));
  await prepare(wanted);
  const outcomes: Outcome[] = [];
  for (const check of wanted) {
    process.stdout.write(`\n== ${check}\n`);
    const began = Date.now();
    const counts = await run(check);
    outcomes.push({ check, ...counts, seconds: (Date.now() - began) / 1000 });
  }
  const total = (key: 'passed' | 'failed') => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
  process.stdout.write('\n');
  for (const { check, passed, failed, seconds } of outcomes) {
    const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`;
    process.stdout.write(`${check.padEnd(12)} ${counts} ${seconds.toFixed(1).padStart(7)} s\n`);
  }
  process.stdout.write(`${total('passed')} passed, ${total('failed')} failed\n`);
  return total('failed') === 0 && total('passed') > 0 ? 0 : 1;
}

/** The emulator's environment, a browser and a spreadsheet program; what cannot be had is said by the tests that miss it. */
async function prepare(wanted: readonly Check[]): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  if (wanted.includes('integration') || wanted.includes('e2e')) {
    await pythonEnvironment(localFolder().venv, join(checkout, 'local', 'requirements.txt'), say).catch((error) =>
      say(String(error)),
    );
  }
  if (wanted.includes('e2e')) await ensureChromium(say);
  if (wanted.includes('integration')) await ensureLibreOffice(say);
}

function run(check: Check): Promise<{ readonly passed: number; readonly failed: number }> {
  if (check === 'lint') return single(['@biomejs/biome/bin/biome', 'check', '.']);
  if (check === 'types') return single(['typescript/bin/tsc']);
  return jest(check);
}

async function single([program, ...args]: readonly string[]): Promise<{ passed: number; failed: number }> {
  const ok = (await node([join(checkout, 'node_modules', program ?? ''), ...args])) === 0;
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
}

/** Counts tests; a suite that did not run is one failure, and so is a test that was skipped or left to do. */
async function jest(project: Check): Promise<{ passed: number; failed: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-test-'));
  try {
    const report = join(folder, 'report.json');
    const args = ['--selectProjects', project, '--json', `--outputFile=${report}`];
    args.push(project === 'e2e' ? '--runInBand' : '--maxWorkers=2');
    const code = await node([join(checkout, 'node_modules', 'jest', 'bin', 'jest.js'), ...args]);
    const counts = readReport(report);
    if (counts === undefined) return { passed: 0, failed: 1 };
    const failed =
      counts.numFailedTests + counts.numRuntimeErrorTestSuites + counts.numPendingTests + counts.numTodoTests;
    return { passed: counts.numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

function readReport(path: string): JestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestReport;
  } catch {
    return undefined;
  }
}

/** Runs a Node program of the checkout; its report for machines is not shown, what it says to people is. */
function node(args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [...args], {
      cwd: checkout,
      stdio: ['ignore', args.includes('--json') ? 'ignore' : 'inherit', 'inherit'],
      env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    });
    child.once('error', () => done(127));
    child.once('close', (code) => done(code ?? 1));
  });
}

process.exitCode = await main();
