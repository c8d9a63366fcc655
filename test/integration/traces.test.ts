import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ClaimcheckError } from '../../core/errors.ts';
import { newId } from '../../core/reference/reference.ts';
import { flowHandler, flowIdentity, hexId } from '../../lambdas/flow-handler.ts';

// The real tracer, and in the place of X-Ray's daemon a socket that keeps what it is sent.
let daemon: Socket;
const sent: string[] = [];
const before = { ...process.env };

beforeAll(async () => {
  daemon = createSocket('udp4', (message) => {
    sent.push(message.toString('utf8'));
  });
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  Object.assign(process.env, {
    AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${(daemon.address() as AddressInfo).port}`,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    LAMBDA_TASK_ROOT: '/var/task',
    POWERTOOLS_SERVICE_NAME: 'claimcheck',
    _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=557abcec3ee5a047;Sampled=1',
  });
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  daemon.close();
});

const owner = 'owner-to-forget';
const word = 'planted-word';
const event = z.strictObject({ runId: hexId, turn: z.number(), flow: flowIdentity });
const good = () => ({ runId: newId(), turn: 3, flow: { execution: 'e', stateMachine: 's' } });

/** The segments that name this run, once there is one. */
async function segmentsOf(runId: string): Promise<readonly string[]> {
  for (let waited = 0; waited < 100; waited += 1) {
    const found = sent.filter((text) => text.includes(runId));
    if (found.length > 0) return found;
    await sleep(50);
  }
  return [];
}

test.each<[string, () => unknown, boolean]>([
  ['a step that deals with an owner and content', () => ({ outcome: 'ok', owner, word }), false],
  [
    'an expected failure whose words and facts quote them',
    () => {
      throw new ClaimcheckError('NotFound', `no ${word} of ${owner}`, { word, owner });
    },
    true,
  ],
  [
    'a fault whose name and message quote them',
    () => {
      throw Object.assign(new Error(`${word} of ${owner}`), { name: `${word} ${owner}`, owner, word });
    },
    true,
  ],
  [
    'a text that is thrown',
    () => {
      throw `${word} of ${owner}`;
    },
    true,
  ],
])('a trace holds the ids of its run and nothing else of it: %s', async (_, work, failed) => {
  const input = good();
  const handler = flowHandler('traced-step', event, async (_event, { telemetry }) => {
    telemetry.add?.({ session: newId() });
    return work();
  });
  await handler(input).catch(() => {});
  const segments = await segmentsOf(input.runId);
  expect(segments).toHaveLength(1);
  // A header line, then the segment.
  const segment = JSON.parse(segments[0]?.split('\n')[1] ?? '{}') as Record<string, unknown>;
  expect(segment).toMatchObject({ name: '## traced-step', type: 'subsegment' });
  const { annotations, metadata, fault } = segment as {
    annotations: Record<string, unknown>;
    metadata?: unknown;
    fault?: boolean;
  };
  expect(Object.keys(annotations).sort()).toEqual(
    ['ColdStart', 'Service', 'runId', 'turn', ...(failed ? ['fault'] : [])].sort(),
  );
  expect(annotations).toMatchObject({ runId: input.runId, turn: 3 });
  expect(metadata).toBeUndefined();
  expect(fault === true).toBe(failed);
  for (const needle of [owner, word]) expect(segments.join()).not.toContain(needle);
});
