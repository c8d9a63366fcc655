import { credentials, region } from './ministack.ts';

/** One line that a function has logged. */
export interface LogLine {
  readonly group: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
}

/** What the functions of a running platform have logged, oldest first; of one function when its name is given. */
export async function functionLogs(endpoint: string, functionName?: string): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  const groups = await pages(endpoint, 'DescribeLogGroups', {}, 'logGroups');
  for (const group of groups) {
    const name = String(group['logGroupName']);
    if (functionName !== undefined && !name.endsWith(`-${functionName}`)) continue;
    for (const event of await pages(endpoint, 'FilterLogEvents', { logGroupName: name }, 'events')) {
      lines.push({ group: name, at: Number(event['timestamp']), message: String(event['message']).trimEnd() });
    }
  }
  return lines.sort((a, b) => a.at - b.at);
}

type Member = Readonly<Record<string, unknown>>;

async function pages(endpoint: string, operation: string, input: object, member: string): Promise<readonly Member[]> {
  const found: Member[] = [];
  let nextToken: string | undefined;
  do {
    const body = JSON.stringify({ ...input, ...(nextToken === undefined ? {} : { nextToken }) });
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `Logs_20140328.${operation}`,
        // The emulator reads service and region from here and checks no signature.
        authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=none`,
      },
      body,
    });
    if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${await response.text()}`);
    const page = (await response.json()) as Readonly<Record<string, unknown>>;
    found.push(...((page[member] as readonly Member[] | undefined) ?? []));
    nextToken = typeof page['nextToken'] === 'string' ? page['nextToken'] : undefined;
  } while (nextToken !== undefined);
  return found;
}
