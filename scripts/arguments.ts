import { parseArgs } from 'node:util';

/** A command as `npm run` starts it. */
export interface Command {
  /** Stands before every complaint. */
  readonly name: string;
  /** How it is called and what it does; its first line is the call. */
  readonly usage: string;
  /** Option name → what it takes: `flag` nothing, any other text a value, which the text describes (`a number`). */
  readonly options?: Readonly<Record<string, string>>;
  /** What the arguments without a name are, in order. Fewer may come: what must be there is the command's to check. */
  readonly positionals?: readonly string[];
}

export interface Arguments {
  /** The values of options that were given. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** Thrown for arguments that are wrong; the message names the argument and what was expected. */
export class WrongArguments extends Error {
  override readonly name = 'WrongArguments';
}

/** Reads arguments; `'help'` where they ask for it. Throws `WrongArguments`. */
export function readArguments(command: Command, args: readonly string[]): Arguments | 'help' {
  const { options = {}, positionals: named = [] } = command;
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, takes]) => [
        name,
        { type: takes === 'flag' ? 'boolean' : 'string' } as const,
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const values: Record<string, string> = {};
  const flags = new Set<string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (positionals.length === named.length) throw new WrongArguments(`${token.value}: ${expected(command)}`);
      positionals.push(token.value);
      continue;
    }
    if (token.rawName === '--help' || token.rawName === '-h') return 'help';
    const takes =
      token.rawName.startsWith('--') && Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (takes === undefined) throw new WrongArguments(`${token.rawName}: ${expected(command)}`);
    if (takes === 'flag') {
      if (token.value !== undefined) throw new WrongArguments(`${token.rawName}: expected no value with it`);
      flags.add(token.name);
    } else {
      // `--out --budget 3` is a value that was forgotten, not a file called "--budget".
      const missing = token.value === undefined || (token.inlineValue === false && token.value.startsWith('--'));
      if (missing) throw new WrongArguments(`${token.rawName}: expected ${takes} after it`);
      values[token.name] = token.value as string;
    }
  }
  return { values, flags, positionals };
}

/**
 * The arguments of this process. `--help` prints the usage and ends it with 0; wrong arguments end it with 2, after a
 * line on standard error that names the argument and what was expected.
 */
export function argumentsOf(command: Command, args: readonly string[] = process.argv.slice(2)): Arguments {
  try {
    const read = readArguments(command, args);
    if (read !== 'help') return read;
    process.stdout.write(`${command.usage.trimEnd()}\n`);
    return process.exit(0);
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    return refuse(command, error.message);
  }
}

/** Ends the process with 2: what a command itself finds wrong with an argument is told like the rest. */
export function refuse(command: Command, complaint: string): never {
  process.stderr.write(`${command.name}: ${complaint}\n\n${command.usage.trimEnd()}\n`);
  return process.exit(2);
}

/** A whole number that an option gives, or the default. */
export function wholeNumber(
  command: Command,
  { values }: Arguments,
  name: string,
  bounds: { readonly min: number; readonly otherwise: number },
): number {
  const text = values[name];
  if (text === undefined) return bounds.otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= bounds.min) return value;
  return refuse(command, `--${name}: expected a whole number of at least ${bounds.min}, found ${text}`);
}

function expected({ options = {}, positionals = [] }: Command): string {
  const known = [...positionals, ...Object.keys(options).map((name) => `--${name}`)];
  return known.length === 0 ? 'expected no arguments' : `not expected; known are ${known.join(', ')}`;
}
