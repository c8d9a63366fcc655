import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** What `npm start -- …` was asked for. */
export interface StartOptions {
  readonly records: number;
  readonly seed: number;
  readonly once: boolean;
  readonly question: string;
  readonly agent: string;
  readonly port?: number;
  /** Where everything is kept; absent: `.local` of the checkout. */
  readonly folder?: string;
}

const standard = {
  records: 60_000,
  seed: 1,
  question: 'How many services does the status report hold, and what does the last one say?',
} as const;

export const usage = `npm start [-- options]
  --records N      records in the service status report (default ${standard.records})
  --seed S         seed of the example data (default ${standard.seed})
  --question TEXT  what to ask (default "${standard.question}")
  --agent NAME     which flow answers (default assistant)
  --once           ask, print the answer, stop everything
  --port P         port of the local platform (default: that of the last start, or a free one)
  --folder PATH    where everything is kept (default .local)
`;

/** Reads the arguments; throws a message that names the one that is wrong. */
export function readArguments(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    allowPositionals: false,
    options: {
      records: { type: 'string' },
      seed: { type: 'string' },
      question: { type: 'string' },
      agent: { type: 'string' },
      once: { type: 'boolean' },
      port: { type: 'string' },
      folder: { type: 'string' },
    },
  });
  const port = values.port === undefined ? undefined : whole('--port', values.port, 1024, 65_535);
  return {
    records: whole('--records', values.records ?? String(standard.records), 1, 2_000_000),
    seed: whole('--seed', values.seed ?? String(standard.seed), 0, 2_147_483_647),
    question: values.question ?? standard.question,
    agent: values.agent ?? 'assistant',
    once: values.once ?? false,
    ...(port === undefined ? {} : { port }),
    ...(values.folder === undefined ? {} : { folder: resolve(values.folder) }),
  };
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new Error(`${name}: expected a whole number from ${min} to ${max}, found ${text}`);
  return value;
}
