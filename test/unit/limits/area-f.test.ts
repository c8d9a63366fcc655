import { postToolHook } from '../../../core/flow/post-tool-hook.ts';
import { maxAnswerBytes, sendableAnswer } from '../../../core/http/answer-limit.ts';
import { json } from '../../../core/http/response.ts';
import { admitRun } from '../../../core/run/admit.ts';
import { httpHandler } from '../../../lambdas/http-handler.ts';
import { MemoryStarter } from '../../fakes/memory-runs.ts';
import { arn, flow, run, runId, runWorld, session, success, use } from '../../fakes/run-world.ts';

// Cases H070, H072 and H074: sizes at the limits of Step Functions and Lambda. The recipes are those of the cases.

/** A JSON object of exactly `bytes` UTF-8 bytes, padded with characters of one byte or of three. */
function object(bytes: number, multibyte: boolean): string {
  const head = '{"question":"q","pad":"';
  const room = bytes - Buffer.byteLength(head) - 2;
  const pad = multibyte ? '検'.repeat(Math.floor(room / 3)) + 'x'.repeat(room % 3) : 'x'.repeat(room);
  return `${head}${pad}"}`;
}

const stateLimit = 262_144;
const sizes = [100_000, 131_000, 200_000, 262_144, 262_145];

describe.each([false, true])('case H070, characters of several bytes: %s', (multibyte) => {
  test.each(sizes)(
    'a foreign flow’s result of %i bytes comes back small, or is refused in words before the limit',
    async (bytes) => {
      const text = object(bytes, multibyte);
      expect(Buffer.byteLength(text)).toBe(bytes);
      const world = await runWorld({ answer: [use('rows')] });
      const event = { runId, turn: 1, index: 0, tool: 'rows', flow, result: success({ text }) };
      if (bytes <= 200 * 1024 - 1_024) {
        const answer = await postToolHook(event, world);
        expect(answer.stored?.bytes).toBe(bytes);
        // What goes on in the state, beside the result that came in, leaves room for both.
        expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(32 * 1024);
        expect(Buffer.byteLength(JSON.stringify(event)) + Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(
          stateLimit,
        );
      } else {
        await expect(postToolHook(event, world)).rejects.toMatchObject({ code: 'OversizeResult', retryable: false });
        expect(world.store.bodies.size).toBe(0);
      }
    },
  );

  test.each(sizes)('a question of %i bytes starts no execution and is refused in words', async (bytes) => {
    const made = await runWorld();
    const ports = {
      ...made,
      starter: new MemoryStarter(),
      flows: { assistant: arn },
      currentRoles: async () => ['ops'],
    };
    const request = {
      runId: '1'.repeat(32),
      owner: run.owner,
      holder: { username: 'ada' },
      session,
      agent: 'assistant',
      message: object(bytes, multibyte),
    };
    await expect(admitRun(request, ports)).rejects.toMatchObject({ code: 'InvalidInput', facts: { bytes } });
    expect(ports.starter.started).toEqual([]);
  });
});

describe('case H074: an answer that Lambda would drop', () => {
  const answerOf = (bytes: number, filler: string) => {
    const empty = Buffer.byteLength(JSON.stringify(json(200, { text: '' })));
    const each = Buffer.byteLength(JSON.stringify(JSON.stringify(filler))) - 6;
    return json(200, { text: filler.repeat(Math.floor((bytes - empty) / each)) });
  };

  test.each([
    ['plain', 'x'],
    ['of three bytes a character', '検'],
    ['that is escaped twice on the way', '"'],
  ])('text %s: up to the limit it goes out as it is, above it is refused', (_, filler) => {
    const fits = answerOf(maxAnswerBytes, filler);
    expect(sendableAnswer(fits)).toBe(fits);
    const over = answerOf(maxAnswerBytes + 64, filler);
    expect(Buffer.byteLength(JSON.stringify(over))).toBeGreaterThan(maxAnswerBytes);
    expect(() => sendableAnswer(over)).toThrow('Ask for less');
  });

  test('people and programs get a status and words, not a bare 500', async () => {
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const handler = httpHandler('api', async () => json(200, { text: 'x'.repeat(7_000_000) }));
    const event = {
      rawPath: '/chats',
      rawQueryString: '',
      headers: { accept: 'application/json' },
      requestContext: { http: { method: 'GET', path: '/chats' } },
    };
    const response = await handler(event);
    jest.restoreAllMocks();
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'SelectionTooLarge', retryable: false });
  });
});
