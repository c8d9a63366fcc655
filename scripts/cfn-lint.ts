import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The linter's exact release: its rules are data, and a new one must not break an old checkout. */
const release = '1.58.0';

/** Rules left out, each with its reason. */
const ignored: Readonly<Record<string, string>> = {
  W3005: 'The CDK writes a DependsOn beside a GetAtt of the same resource; it changes nothing.',
};

/**
 * cfn-lint in an environment of its own under `.local/`, installed when it is not there. Answers its path. Throws an
 * error that says what to do when Python or the package cannot be had.
 */
export function cfnLint(root: string): string {
  const folder = path.join(root, '.local', 'cfn-lint');
  const program = path.join(folder, 'bin', 'cfn-lint');
  const mark = path.join(folder, `release-${release}`);
  if (existsSync(mark)) return program;
  mkdirSync(path.dirname(folder), { recursive: true });
  must('python3', ['-m', 'venv', '--clear', folder], 'cfn-lint needs Python 3.10 or newer with its venv module');
  must(
    path.join(folder, 'bin', 'python'),
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `cfn-lint==${release}`],
    `cfn-lint ${release} could not be installed by pip`,
  );
  writeFileSync(mark, '');
  return program;
}

/** Lints templates; answers the findings as the linter prints them, an empty list when there are none. */
export function lint(root: string, templates: readonly string[]): readonly string[] {
  const program = cfnLint(root);
  const run = spawnSync(
    program,
    [
      '--format',
      'parseable',
      '--ignore-checks',
      ...Object.keys(ignored),
      '--regions',
      'eu-central-1',
      'us-east-1',
      '--template',
      ...templates,
    ],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (run.error !== undefined) throw run.error;
  const findings = run.stdout.split('\n').filter((line) => line.trim() !== '');
  if (run.status !== 0 && findings.length === 0) throw new Error(`cfn-lint ended with ${run.status}: ${run.stderr}`);
  return findings;
}

function must(command: string, args: readonly string[], otherwise: string): void {
  const run = spawnSync(command, args, { encoding: 'utf8' });
  if (run.error !== undefined || run.status !== 0) {
    throw new Error(`${otherwise}: ${run.error?.message ?? run.stderr.trim().split('\n').slice(-3).join(' ')}`);
  }
}

// By itself: lints the templates of cdk.out.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  const folder = path.join(root, 'cdk.out');
  const templates = readdirSync(folder).filter((name) => name.endsWith('.template.json'));
  const findings = lint(
    root,
    templates.map((name) => path.join(folder, name)),
  );
  process.stdout.write(findings.length === 0 ? 'cfn-lint: nothing found\n' : `${findings.join('\n')}\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
