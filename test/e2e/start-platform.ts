import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRunning } from '../../local/command.ts';
import { localFolder } from '../../local/folder.ts';
import { type Platform, startPlatform } from '../../local/platform.ts';
import { handleVariable, type PlatformHandle } from './platform.ts';

const beside = resolve(import.meta.dirname, '../../.local');
const examples = { records: 60_000, seed: 1 };

/** Where the stop finds what the start has made: jest loads both in its own process. */
const kept = globalThis as { claimcheckPlatform?: Platform };

/**
 * Once per test run, before all files: an empty platform in a folder and on ports of its own, so that it can run
 * beside a developer's. IAM is enforced: a right that a function lacks fails the test that needs it. The folder is named by process; those of runs that were killed are removed here.
 */
// biome-ignore lint/style/noDefaultExport: jest calls the default export of its globalSetup.
export default async function start(): Promise<void> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  localFolder();
  for (const name of readdirSync(beside)) {
    const left = /^e2e-(\d+)$/.exec(name);
    if (left !== null && !isRunning(Number(left[1]))) rmSync(join(beside, name), { recursive: true, force: true });
  }
  const folder = localFolder(join(beside, `e2e-${process.pid}`));
  const platform = await startPlatform({
    folder,
    examples,
    enforcePolicies: true,
    say: (line) => process.stderr.write(`  ${line}\n`),
  });
  const { emulatorUrl, baseUrl, outputs, passwords } = platform;
  const handle: PlatformHandle = { folder: folder.root, emulatorUrl, baseUrl, outputs, passwords, examples };
  const file = join(folder.root, 'platform.json');
  writeFileSync(file, JSON.stringify(handle));
  process.env[handleVariable] = file;
  kept.claimcheckPlatform = platform;
}
