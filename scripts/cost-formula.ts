/** List prices in one currency, as an operator reads them off AWS's price pages. All are per single unit named. */
export interface Prices {
  readonly currency: string;
  readonly s3: { readonly perPut: number; readonly perGet: number; readonly perGiBMonth: number };
  readonly dynamo: { readonly perWriteUnit: number; readonly perReadUnit: number; readonly perGiBMonth: number };
  readonly lambda: { readonly perRequest: number; readonly perGiBSecond: number };
  readonly stepFunctions: { readonly perTransition: number };
  readonly logs: { readonly perGiB: number };
  readonly model: { readonly perInputToken: number };
}

/** What one stored tool result of a size class asks of each service. */
export interface Usage {
  readonly bytes: number;
  readonly retentionDays: number;
  readonly puts: number;
  readonly gets: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly tableBytes: number;
  readonly transitions: number;
  readonly invocations: number;
  readonly seconds: number;
  readonly memoryMiB: number;
  readonly logBytes: number;
}

export interface Cost {
  readonly s3: number;
  readonly dynamo: number;
  readonly lambda: number;
  readonly stepFunctions: number;
  readonly logs: number;
  readonly total: number;
}

const GiB = 1024 ** 3;

/** Bytes of one part of an upload, and what is sent whole below it (`aws/s3-upload.ts`). */
export const partBytes = 8 * 1024 ** 2;

/** Uploads of a body: one PUT, or a start, its parts and a completion; the commit record is one more. */
export function putsOf(bytes: number): number {
  return (bytes <= partBytes ? 1 : 2 + Math.ceil(bytes / partBytes)) + 1;
}

/** The cost of one result, in the currency of the prices. */
export function costOf(usage: Usage, prices: Prices): Cost {
  const months = usage.retentionDays / 30;
  const s3 =
    usage.puts * prices.s3.perPut +
    usage.gets * prices.s3.perGet +
    (usage.bytes / GiB) * months * prices.s3.perGiBMonth;
  const dynamo =
    usage.writeUnits * prices.dynamo.perWriteUnit +
    usage.readUnits * prices.dynamo.perReadUnit +
    (usage.tableBytes / GiB) * months * prices.dynamo.perGiBMonth;
  const lambda =
    usage.invocations * prices.lambda.perRequest +
    usage.seconds * (usage.memoryMiB / 1024) * prices.lambda.perGiBSecond;
  const stepFunctions = usage.transitions * prices.stepFunctions.perTransition;
  const logs = (usage.logBytes / GiB) * prices.logs.perGiB;
  return { s3, dynamo, lambda, stepFunctions, logs, total: s3 + dynamo + lambda + stepFunctions + logs };
}

/**
 * Input tokens that later requests of the run do not carry: the result goes along with every model call after it.
 * Where the whole result would not fit the window at all, what is compared with is a window full of it.
 */
export function tokensSaved(
  result: { readonly bytes: number; readonly insertedBytes: number; readonly laterCalls: number },
  model: { readonly bytesPerToken: number; readonly windowTokens: number },
): number {
  const whole = Math.min(result.bytes / model.bytesPerToken, model.windowTokens);
  const inserted = result.insertedBytes / model.bytesPerToken;
  return Math.max(0, Math.round((whole - inserted) * result.laterCalls));
}
