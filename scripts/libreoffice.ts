import { type DebianProgram, ensureProgram, findProgram } from './debian-program.ts';

const libreOffice: DebianProgram = {
  title: 'LibreOffice Calc',
  variable: 'CLAIMCHECK_SOFFICE',
  files: ['soffice'],
  debianPackage: 'libreoffice-calc-nogui',
};

/** Path of LibreOffice's `soffice`. */
export function findLibreOffice(): string | undefined {
  return findProgram(libreOffice);
}

/** The same, installed first where it is missing and may be installed. */
export function ensureLibreOffice(say: (line: string) => void): Promise<string | undefined> {
  return ensureProgram(libreOffice, say);
}
