import type { Platform } from '../../local/platform.ts';

/** Stops everything that `start-platform.ts` has started; the logs stay until the next test run. */
// biome-ignore lint/style/noDefaultExport: jest calls the default export of its globalTeardown.
export default async function stop(): Promise<void> {
  await (globalThis as { claimcheckPlatform?: Platform }).claimcheckPlatform?.stop();
}
