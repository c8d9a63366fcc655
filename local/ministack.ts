import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endGroup, runCommand } from './command.ts';
import { type PythonEnvironment, pythonEnvironment } from './python-environment.ts';

/** Docker image of the same release as `requirements.txt`, used where no Python is installed. */
const image = 'ministackorg/ministack:1.5.33';
/** Starts the emulator with what it does not do as AWS put right. */
const program = join(import.meta.dirname, 'emulator.py');
const container = (port: number) => `claimcheck-local-${port}`;

export const region = 'us-east-1';
/** The emulator checks no signature; these only have to be there. */
export const credentials = { accessKeyId: 'test', secretAccessKey: 'test' } as const;

export interface MiniStackOptions {
  /** A free port of 127.0.0.1. */
  readonly port: number;
  /** Folder of the virtual environment; made when missing. */
  readonly venv: string;
  /** Folders of what is kept between starts. */
  readonly state: string;
  readonly objects: string;
  readonly log: string;
  /** Where functions reach the model service; absent: nowhere. */
  readonly modelUrl?: string;
  /** Evaluate IAM and bucket policies: a function whose role lacks a right is refused. */
  readonly enforcePolicies?: boolean;
  readonly say?: (line: string) => void;
}

export interface MiniStack {
  readonly url: string;
  readonly pid: number;
  /** Rejects when the emulator ends without being asked to. */
  readonly ended: Promise<never>;
  /** Lets it write its state, then ends it and every function it started. Answers whether the state was written. */
  stop(): Promise<boolean>;
}

/**
 * Starts MiniStack on 127.0.0.1 and waits until it answers: in a virtual environment of its own, or from its Docker
 * image where Python is missing. Throws a message fit for a person when neither can be had.
 */
export async function startMiniStack(options: MiniStackOptions): Promise<MiniStack> {
  for (const path of [options.state, options.objects, dirname(options.log)]) {
    mkdirSync(path, { recursive: true });
  }
  const say = options.say ?? (() => {});
  const python = await pythonEnvironment(options.venv, join(import.meta.dirname, 'requirements.txt'), say);
  // Outside the checkout: functions run from here, and must find neither its packages nor its package.json.
  const scratch = mkdtempSync(join(tmpdir(), 'claimcheck-'));
  const child = python === undefined ? await inDocker(options, say) : inPython(python, options, scratch);
  const url = `http://127.0.0.1:${options.port}`;
  const pid = child.pid;
  if (pid === undefined) throw new Error('the emulator could not be started');
  let stopping = false;
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => {
      if (!stopping) reject(new Error(`the emulator ended (${signal ?? code}):\n${tail(options.log)}`));
    });
  });
  ended.catch(() => {});
  const stop = async () => {
    if (stopping) return true;
    stopping = true;
    const saved = await end(child, pid);
    rmSync(scratch, { recursive: true, force: true });
    if (python === undefined) await runCommand('docker', ['rm', '--force', container(options.port)]);
    return saved;
  };
  try {
    await Promise.race([waitUntilReady(url), ended]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid, ended, stop };
}

/** Nothing of the developer's environment reaches the emulator, and so none of it reaches the functions it runs. */
export function emulatorEnvironment(options: MiniStackOptions, scratch: string): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: scratch,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    GATEWAY_PORT: String(options.port),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    MINISTACK_REGION: region,
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    COGNITO_EMAIL_ENABLED: 'false',
    PERSIST_STATE: '1',
    STATE_DIR: options.state,
    S3_PERSIST: '1',
    S3_DATA_DIR: options.objects,
    LOG_LEVEL: 'INFO',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...(options.enforcePolicies === true ? { AUTH: 'true' } : {}),
    ...(options.modelUrl === undefined ? {} : { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: options.modelUrl }),
  };
}

function inPython(python: PythonEnvironment, options: MiniStackOptions, scratch: string): ChildProcess {
  const log = openSync(options.log, 'a');
  return spawn(python.python, [program], {
    cwd: scratch,
    env: emulatorEnvironment(options, scratch),
    stdio: ['ignore', log, log],
    detached: true,
  });
}

async function inDocker(options: MiniStackOptions, say: (line: string) => void): Promise<ChildProcess> {
  if ((await runCommand('docker', ['info'])).code !== 0) {
    throw new Error(
      'the local platform needs Python 3.11 or newer (with venv) or a running Docker engine; neither was found',
    );
  }
  say(`no Python found: starting the Docker image ${image}`);
  const inside: MiniStackOptions = { ...options, state: '/state', objects: '/objects' };
  // The container has its own PATH and home; it shares the host's network so that addresses mean the same inside.
  const { PATH: _path, HOME: _home, ...environment } = emulatorEnvironment(inside, '/tmp');
  const args = ['run', '--rm', '--name', container(options.port), '--network', 'host'];
  args.push('--volume', `${options.state}:/state`, '--volume', `${options.objects}:/objects`);
  // The image works in the folder that holds its package, where `-m` finds both.
  args.push('--volume', `${program}:/opt/ministack/emulator.py:ro`, '--entrypoint', 'python');
  for (const [name, value] of Object.entries(environment)) args.push('--env', `${name}=${value}`);
  const log = openSync(options.log, 'a');
  return spawn('docker', [...args, image, '-m', 'emulator'], { stdio: ['ignore', log, log], detached: true });
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline) {
    try {
      const response = await fetch(`${url}/_ministack/health`, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await sleep(100);
  }
  throw new Error('the emulator did not answer within two minutes');
}

/** SIGTERM lets the emulator save; what has not ended after half a minute is killed with its children. */
async function end(child: ChildProcess, pid: number): Promise<boolean> {
  let saved = false;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)));
    process.kill(pid, 'SIGTERM');
    saved = await Promise.race([gone, sleep(30_000, false, { ref: false })]);
  }
  endGroup(pid, 'SIGKILL');
  return saved;
}

function tail(log: string): string {
  return readFileSync(log, 'utf8').split('\n').slice(-15).join('\n');
}
