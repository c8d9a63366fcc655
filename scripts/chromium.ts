import { type DebianProgram, ensureProgram, findProgram } from './debian-program.ts';

const chromium: DebianProgram = {
  title: 'Chromium',
  variable: 'CLAIMCHECK_CHROMIUM',
  files: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  debianPackage: 'chromium',
};

/** Path of an installed Chromium or Chrome. */
export function findChromium(): string | undefined {
  return findProgram(chromium);
}

/** The same, installed first where it is missing and may be installed. */
export function ensureChromium(say: (line: string) => void): Promise<string | undefined> {
  return ensureProgram(chromium, say);
}
