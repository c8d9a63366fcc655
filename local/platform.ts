import { existsSync, rmSync } from 'node:fs';
import { isRunning } from './command.ts';
import {
  baseUrl,
  bootstrap,
  type DeploymentTarget,
  deploy,
  digestOf,
  type ExampleData,
  readOutputs,
  type StackOutputs,
  synthesize,
} from './deploy.ts';
import { relaxPolicies } from './enforcement.ts';
import { type LocalFolder, localFolder } from './folder.ts';
import { type LocalMemory, newApiId, newPassword, readMemory, writeMemory } from './memory.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';
import { type ModelServer, startModelServer } from './model-server/server.ts';
import { type OrdersDatabase, ordersSetting, startOrders } from './orders-database.ts';
import { freePort, portIsFree } from './port.ts';
import { ServiceClient } from './service-client.ts';
import { type LocalUser, LocalUsers, localUsers } from './users.ts';

export interface PlatformOptions {
  readonly folder?: LocalFolder;
  readonly examples: ExampleData;
  /** A wish for the emulator's port; otherwise the one of the last start, or a free one. */
  readonly port?: number;
  /** Further settings of `lib/config.ts`, dotted names without the prefix. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Evaluate IAM and bucket policies once everything is deployed. */
  readonly enforcePolicies?: boolean;
  readonly say?: (line: string) => void;
  readonly abort?: AbortSignal;
}

/** The whole service, running on this machine. */
export interface Platform {
  readonly folder: LocalFolder;
  /** Address of the emulated AWS. */
  readonly emulatorUrl: string;
  readonly modelUrl: string;
  readonly baseUrl: string;
  readonly outputs: StackOutputs;
  readonly passwords: Readonly<Record<LocalUser, string>>;
  readonly users: LocalUsers;
  /** The HTTP interface with a fresh token of this user. */
  signedIn(user: LocalUser): Promise<ServiceClient>;
  /** Rejects when the emulator ends by itself. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Brings everything up: emulator and scripted model on 127.0.0.1, the CDK app deployed, users made. What an earlier
 * start has left in the folder is used again. Stops whatever it has started when it fails or is aborted.
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const folder = options.folder ?? localFolder();
  const say = options.say ?? (() => {});
  const memory = await recall(folder, options.port, say);
  const target: DeploymentTarget = {
    port: memory.port,
    apiId: memory.apiId,
    examples: options.examples,
    settings: { ...(await ordersSetting(folder)), ...options.settings },
  };
  let orders: Promise<OrdersDatabase | undefined> | undefined;
  let model: ModelServer | undefined;
  let emulator: MiniStack | undefined;
  const stop = async () => {
    const saved = await emulator?.stop();
    await model?.stop();
    await (await orders?.catch(() => undefined))?.stop();
    const known = readMemory(folder);
    // An emulator that could not save stays on record: the next start must not trust what it finds.
    if (known === undefined || saved === false) return;
    const { emulatorPid: _stopped, ...rest } = known;
    writeMemory(folder, rest);
  };
  try {
    // The database fills itself while the app is deployed.
    orders = startOrders(folder, { seed: options.examples.seed, say });
    orders.catch(() => {});
    model = await startModelServer({ record: folder.modelRequests });
    // The app is synthesised while the emulator starts: neither needs the other.
    const needed = memory.deployed !== digestOf(target);
    const assembly = needed ? synthesize(folder, target, options.abort) : undefined;
    assembly?.catch(() => {});
    if (needed) say('synthesising the app and bundling its functions');
    const enforce = options.enforcePolicies === true;
    if (enforce && !needed) relaxPolicies(folder.state);
    emulator = await emulate(folder, memory, model, say, enforce && !needed);
    writeMemory(folder, { ...memory, emulatorPid: emulator.pid });
    if (assembly !== undefined) {
      if (memory.deployed === undefined) {
        say('bootstrapping the emulated account');
        await bootstrap(folder, target, options.abort);
      }
      const made = await assembly;
      say('deploying');
      // Until it has succeeded nobody knows what is there: the next start would begin afresh.
      writeMemory(folder, { ...undeployed(memory), emulatorPid: emulator.pid });
      await deploy(folder, target, made, say, options.abort);
      if (enforce) {
        // The deployment itself cannot pass: the CLI's own bucket refuses requests without TLS.
        await emulator.stop();
        relaxPolicies(folder.state);
        emulator = await emulate(folder, memory, model, say, true);
      }
      writeMemory(folder, { ...memory, emulatorPid: emulator.pid, deployed: digestOf(target) });
    } else say('the deployment of the last start is up to date');
    await orders;
    return await assembled(folder, memory, emulator, model, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assembled(
  folder: LocalFolder,
  memory: LocalMemory,
  emulator: MiniStack,
  model: ModelServer,
  stop: () => Promise<void>,
): Promise<Platform> {
  const outputs = readOutputs(folder);
  const url = baseUrl(memory.port, memory.apiId);
  const users = new LocalUsers(emulator.url, output(outputs, 'UserPoolId'), output(outputs, 'UserPoolClientId'));
  const passwords = memory.passwords as Record<LocalUser, string>;
  await users.make(passwords);
  return {
    folder,
    emulatorUrl: emulator.url,
    modelUrl: model.url,
    baseUrl: url,
    outputs,
    passwords,
    users,
    signedIn: async (user) => new ServiceClient(url, await users.token(user, passwords[user])),
    ended: emulator.ended,
    stop,
  };
}

export function output(outputs: StackOutputs, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`the stacks have no output ${name}`);
  return value;
}

function emulate(
  folder: LocalFolder,
  memory: LocalMemory,
  model: ModelServer,
  say: (line: string) => void,
  enforcePolicies: boolean,
): Promise<MiniStack> {
  say(`starting the emulator on 127.0.0.1:${memory.port}${enforcePolicies ? ', policies enforced' : ''}`);
  return startMiniStack({
    port: memory.port,
    venv: folder.venv,
    state: folder.state,
    objects: folder.objects,
    log: `${folder.logs}/ministack.log`,
    modelUrl: model.url,
    enforcePolicies,
    say,
  });
}

/**
 * What the last start left, made usable: other ports where theirs are taken, a fresh state where the emulator was
 * killed before it could save (it writes its state only when it stops).
 */
async function recall(
  folder: LocalFolder,
  wish: number | undefined,
  say: (line: string) => void,
): Promise<LocalMemory> {
  const before = readMemory(folder);
  if (before?.emulatorPid !== undefined) {
    if (isRunning(before.emulatorPid) && !(await portIsFree(before.port))) {
      throw new Error(
        `the local platform of ${folder.root} is running already (process ${before.emulatorPid}); stop it first, with Ctrl-C where it was started`,
      );
    }
    say('the last stop was not a clean one: starting with an empty emulator');
    forget(folder);
  }
  const kept = before?.emulatorPid === undefined ? before : undefined;
  const port = await usable(wish ?? before?.port);
  const passwords = Object.fromEntries(
    Object.keys(localUsers).map((name) => [name, before?.passwords[name] ?? newPassword()]),
  );
  const apiId = before?.apiId ?? newApiId();
  const deployed = kept?.deployed;
  if (deployed === undefined && existsSync(folder.state)) forget(folder);
  return writeMemory(folder, { port, apiId, passwords, ...(deployed === undefined ? {} : { deployed }) });
}

function undeployed({ deployed: _unknown, ...rest }: LocalMemory): LocalMemory {
  return rest;
}

async function usable(port: number | undefined): Promise<number> {
  return port !== undefined && (await portIsFree(port)) ? port : freePort();
}

function forget(folder: LocalFolder): void {
  for (const path of [folder.state, folder.objects]) rmSync(path, { recursive: true, force: true });
}
