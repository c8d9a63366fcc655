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
    for (const event of await eventsOf(endpoint, name)) {
      lines.push({ group: name, at: Number(event['timestamp']), message: String(event['message']).trimEnd() });
    }
  }
  return lines.sort((a, b) => a.at - b.at);
}

type Member = Readonly<Record<string, unknown>>;

/** Events that one answer holds at most; the emulator cuts there and gives no token for the rest. */
const fullPage = 10_000;

/** All events of a group: where one answer may not be all, of half of its streams at a time. */
async function eventsOf(
  endpoint: string,
  logGroupName: string,
  streams?: readonly string[],
): Promise<readonly Member[]> {
  if (streams?.length === 0) return [];
  const wanted = streams === undefined ? {} : { logStreamNames: streams };
  const events = await pages(endpoint, 'FilterLogEvents', { logGroupName, ...wanted }, 'events');
  if (events.length < fullPage) return events;
  if (streams?.length === 1) return streamEvents(endpoint, logGroupName, streams[0] as string);
  const names =
    streams ??
    (await pages(endpoint, 'DescribeLogStreams', { logGroupName }, 'logStreams')).map((stream) =>
      String(stream['logStreamName']),
    );
  const half = Math.ceil(names.length / 2);
  return [
    ...(await eventsOf(endpoint, logGroupName, names.slice(0, half))),
    ...(await eventsOf(endpoint, logGroupName, names.slice(half))),
  ];
}

/** All events of one stream; its last page names itself as the next one. */
async function streamEvents(endpoint: string, logGroupName: string, logStreamName: string): Promise<readonly Member[]> {
  const found: Member[] = [];
  let nextToken: unknown;
  for (;;) {
    const input = {
      logGroupName,
      logStreamName,
      startFromHead: true,
      ...(nextToken === undefined ? {} : { nextToken }),
    };
    const page = await askLogs(endpoint, 'GetLogEvents', input);
    found.push(...(page['events'] as readonly Member[]));
    if (page['nextForwardToken'] === nextToken) return found;
    nextToken = page['nextForwardToken'];
  }
}

async function pages(endpoint: string, operation: string, input: object, member: string): Promise<readonly Member[]> {
  const found: Member[] = [];
  let nextToken: string | undefined;
  do {
    const page = await askLogs(endpoint, operation, { ...input, ...(nextToken === undefined ? {} : { nextToken }) });
    found.push(...((page[member] as readonly Member[] | undefined) ?? []));
    nextToken = typeof page['nextToken'] === 'string' ? page['nextToken'] : undefined;
  } while (nextToken !== undefined);
  return found;
}

/** One call of the logs service, e.g. `PutLogEvents`; answers its output. */
export async function askLogs(endpoint: string, operation: string, input: object): Promise<Member> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${operation}`,
      // The emulator reads service and region from here and checks no signature.
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=none`,
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Member;
}
