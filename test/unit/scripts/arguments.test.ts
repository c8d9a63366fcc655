import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readArguments } from '../../../scripts/arguments.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const command = {
  name: 'x',
  usage: 'npm run x -- FILE',
  options: { out: 'a file', said: 'flag' },
  positionals: ['FILE', 'MORE'],
} as const;

test('values, flags and what has no name', () => {
  expect(readArguments(command, ['a', '--out', 'b', '--said', '--', '--c'])).toEqual({
    values: { out: 'b' },
    flags: new Set(['said']),
    positionals: ['a', '--c'],
  });
  expect(readArguments(command, ['--out=--b'])).toMatchObject({ values: { out: '--b' } });
});

test.each([[['--help']], [['a', '-h']]])('%j asks for help', (args) => {
  expect(readArguments(command, args)).toBe('help');
});

test.each([
  [['--nope'], '--nope: not expected; known are FILE, MORE, --out, --said'],
  [['-n'], '-n: not expected; known are FILE, MORE, --out, --said'],
  [['a', 'b', 'c'], 'c: not expected; known are FILE, MORE, --out, --said'],
  [['--out'], '--out: expected a file after it'],
  [['--out', '--said'], '--out: expected a file after it'],
  [['--said=yes'], '--said: expected no value with it'],
  [['--constructor'], '--constructor: not expected; known are FILE, MORE, --out, --said'],
])('%j is refused: %s', (args, message) => {
  expect(() => readArguments(command, args)).toThrow(message);
});

test('a command without arguments says so', () => {
  expect(() => readArguments({ name: 'x', usage: '' }, ['a'])).toThrow('a: expected no arguments');
});

/** Every command of package.json that takes arguments by hand: file, what stands before them, a wrong call, its complaint. */
const scripts = [
  ['scripts/hostile.ts', [], ['--nope'], 'hostile: --nope: not expected; known are --said'],
  ['scripts/fuzz.ts', [], ['--seconds', 'soon'], 'fuzz: --seconds: expected a whole number of at least 0, found soon'],
  ['scripts/build-package.ts', [], ['now'], 'package: now: expected no arguments'],
  ['scripts/stats.ts', [], ['--yaml'], 'stats: --yaml: not expected; known are --json'],
  ['bench/run.ts', [], ['nope'], 'bench: nope: expected one of analysis, '],
  ['scripts/cost.ts', [], ['--window', '0'], 'cost: --window: expected a number above 0, found 0'],
  ['scripts/erase.ts', [], [], 'erase: --owner: expected an owner key'],
  ['scripts/check-chats.ts', [], ['--table', 'x'], 'check-chats: --owner: expected an owner key'],
  ['scripts/new-tool.ts', [], ['No'], 'new-tool: NAME: expected lower-case letters'],
  ['scripts/try.ts', [], ['nope'], 'try: expected one of preview, read, csv, guard, found nope'],
  [
    'local/inspect.ts',
    ['states'],
    ['assistant', 'nope'],
    'states: RUN: expected 32 hexadecimal digits (0-9, a-f), found nope',
  ],
  ['local/inspect.ts', ['logs'], ['--all'], 'logs: --all: not expected; known are FUNCTION'],
  ['local/user.ts', [], ['token', 'nobody'], 'user: USER: expected one of '],
] as const;

test.each(scripts)(
  '%s %j: usage with --help; %j ends with 2 and says why',
  (file, before, wrong, complaint) => {
    const help = run(file, [...before, '--help']);
    expect({ status: help.status, stderr: help.stderr }).toEqual({ status: 0, stderr: '' });
    expect(help.stdout).toMatch(/^npm run /);
    const refused = run(file, [...before, ...wrong]);
    expect({ status: refused.status, stdout: refused.stdout }).toEqual({ status: 2, stdout: '' });
    expect(refused.stderr.startsWith(complaint)).toBe(true);
    expect(refused.stderr).toContain(help.stdout.trim().split('\n')[0]);
  },
  60_000,
);

function run(file: string, args: readonly string[]) {
  return spawnSync(process.execPath, ['--import', 'tsx', path.join(root, file), ...args], {
    encoding: 'utf8',
    cwd: root,
  });
}
