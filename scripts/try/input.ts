import { createReadStream, statSync } from 'node:fs';
import { ClaimcheckError } from '../../core/errors.ts';

/** A wrong argument: `field` names it, in the message that goes to standard error. */
export function wrongInput(field: string, problem: string): ClaimcheckError {
  return new ClaimcheckError('InvalidInput', `${field}: ${problem}`, { field });
}

/** What stands on a command line: one file, and options that each take a value. */
export interface CommandInput {
  readonly file: string;
  readonly options: ReadonlyMap<string, string>;
}

/** Reads `FILE --name value …` (also `--name=value`). Throws `InvalidInput` for anything else, naming it. */
export function commandInput(args: readonly string[], known: readonly string[]): CommandInput {
  const options = new Map<string, string>();
  const files: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (!arg.startsWith('--')) {
      files.push(arg);
      continue;
    }
    const [name = '', ...rest] = arg.slice(2).split('=');
    if (!known.includes(name))
      throw wrongInput(`--${name}`, `not an option; known: ${known.map((k) => `--${k}`).join(', ')}`);
    const value = rest.length > 0 ? rest.join('=') : args[++at];
    if (value === undefined) throw wrongInput(`--${name}`, 'expected a value');
    options.set(name, value);
  }
  const [file, ...more] = files;
  if (file === undefined) throw wrongInput('FILE', 'expected the path of a file');
  if (more.length > 0) throw wrongInput('FILE', `expected one path, found ${files.length}`);
  return { file, options };
}

/** A whole number of bytes, or `otherwise` when the option is not given. */
export function byteOption(input: CommandInput, name: string, otherwise: number): number {
  const text = input.options.get(name);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw wrongInput(`--${name}`, `expected a whole number of bytes, found ${JSON.stringify(text)}`);
  }
  return value;
}

/** The file's bytes, piece by piece. Throws `InvalidInput` when there is no such file to read. */
export function fileChunks(file: string): AsyncIterable<Uint8Array> {
  let isFile: boolean;
  try {
    isFile = statSync(file).isFile();
  } catch (error) {
    throw wrongInput('FILE', (error as Error).message);
  }
  if (!isFile) throw wrongInput('FILE', `${file} is not a file`);
  return createReadStream(file, { highWaterMark: 256 * 1024 });
}

/** Runs a command and answers its exit status: 2, and the reason on standard error, for what cannot be done as asked. */
export async function exitStatus(command: string, work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof ClaimcheckError) && !(error instanceof Error && 'code' in error)) throw error;
    process.stderr.write(`${command}: ${error.message}\n`);
    return 2;
  }
}
