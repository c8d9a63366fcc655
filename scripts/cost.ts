import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { argumentsOf, refuse } from './arguments.ts';
import { costOf, type Prices, tokensSaved } from './cost-formula.ts';
import { sizeClasses, usageOf } from './cost-usage.ts';

const command = {
  name: 'cost',
  usage: `npm run cost -- [--prices FILE] [--retention DAYS] [--later-calls N] [--window TOKENS] [--bytes-per-token N]

What a million tool results of each size cost, service by service, and what their tokens would have cost.

  --prices FILE        list prices per single unit (default scripts/cost-prices.example.json: examples, not a quotation)
  --retention DAYS     how long results are kept (default 30)
  --later-calls N      model calls of the run after the result came (default 3)
  --window TOKENS      the model's window (default 200000)
  --bytes-per-token N  of the results' kind (default 1.84, dense JSON)
`,
  options: {
    prices: 'a file',
    retention: 'a number of days',
    'later-calls': 'a number',
    window: 'a number of tokens',
    'bytes-per-token': 'a number',
  },
} as const;
const defaults = { retention: 30, 'later-calls': 3, window: 200_000, 'bytes-per-token': 1.84 } as const;

const price = z.number().min(0);
const prices: z.ZodType<Prices> = z.strictObject({
  currency: z.string().min(1),
  s3: z.strictObject({ perPut: price, perGet: price, perGiBMonth: price }),
  dynamo: z.strictObject({ perWriteUnit: price, perReadUnit: price, perGiBMonth: price }),
  lambda: z.strictObject({ perRequest: price, perGiBSecond: price }),
  stepFunctions: z.strictObject({ perTransition: price }),
  logs: z.strictObject({ perGiB: price }),
  model: z.strictObject({ perInputToken: price }),
});

function main(): number {
  const { values } = argumentsOf(command);
  const file = values['prices'] ?? `${import.meta.dirname}/cost-prices.example.json`;
  const list = prices.parse(JSON.parse(readFileSync(file, 'utf8')));
  const number = (name: keyof typeof defaults) => {
    const value = Number(values[name] ?? defaults[name]);
    return value > 0 ? value : refuse(command, `--${name}: expected a number above 0, found ${values[name]}`);
  };
  const million = 1_000_000;
  const heads = [
    'size',
    's3',
    'dynamodb',
    'lambda',
    'step functions',
    'logs',
    'total',
    'tokens saved (millions)',
    'they would cost',
  ];
  const rows = sizeClasses.map((size) => {
    const cost = costOf(usageOf(size, number('retention')), list);
    const saved = tokensSaved(
      { bytes: size.bytes, insertedBytes: size.insertedBytes, laterCalls: number('later-calls') },
      { bytesPerToken: number('bytes-per-token'), windowTokens: number('window') },
    );
    const parts = [cost.s3, cost.dynamo, cost.lambda, cost.stepFunctions, cost.logs, cost.total];
    return [
      size.name,
      ...parts.map((part) => money(part * million)),
      whole(saved),
      money(saved * million * list.model.perInputToken),
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  process.stdout.write(`${list.currency} for a million results of each size\n\n`);
  process.stdout.write(`${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}\n`);
  return 0;
}

const money = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
const whole = (value: number) => value.toLocaleString('en-US');

try {
  process.exitCode = main();
} catch (error) {
  refuse(command, `--prices: ${error instanceof Error ? error.message : String(error)}`);
}
