import { digest, lastService, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(240_000);
const platform = testPlatform();
const { examples } = platform.handle;

/** Reads the last record of the reference, as a model does it that was told to. */
const readLast = (ref: string) => `call read_result with {"ref":"${ref}","offset":${examples.records - 1},"limit":1}`;

/** Computes over all of it, as a model does it that was told to. */
const analyse = (ref: string) =>
  `call analyze_result with {"inputs":{"data":"${ref}"},"sql":"SELECT count(*) AS services, max(id) AS last FROM data"}`;

// Every function of the platform is a process of its own: what save-turn wrote is loaded by others.
describe('a stored result after its chat was saved (case H021)', () => {
  let ref: string;
  let link: string;
  let session: string;

  beforeAll(async () => {
    const run = await platform.ask('olivia', 'How many services does the status report hold?');
    ref = run.links[0]?.ref ?? '';
    link = run.links[0]?.download_url ?? '';
    session = run.session;
  });

  test('the chat goes on: the model reads the result by the reference that it saw in the turn before', async () => {
    const run = await platform.ask('olivia', readLast('$ref'), 'assistant', session);
    expect(run.session).toBe(session);
    expect(run.answer).toContain(lastService(examples).id);
    expect(run.basis?.results).toMatchObject([{ ref, total: examples.records, seen: 1 }]);
    const chat = await chatOf('olivia', session);
    expect(chat.turns.map(({ question }) => question)).toEqual([
      'How many services does the status report hold?',
      readLast('$ref'),
    ]);
    expect(chat.turns[0]?.links[0]).toMatchObject({ ref, state: 'available', records: examples.records });
  });

  test('the chat goes on: the model computes over the result of the turn before', async () => {
    const run = await platform.ask('olivia', analyse('$ref'), 'assistant', session);
    expect(run.answer).toContain(String(examples.records));
    expect(run.answer).toContain(lastService(examples).id);
    expect(run.basis?.results).toMatchObject([{ ref, total: examples.records, wholeAnalyses: 1 }]);
  });

  test('in a second chat the model has nothing by the reference alone; the person downloads it all the same', async () => {
    const run = await platform.ask('olivia', `${readLast(ref)}\n${analyse(ref)}`);
    expect(run.session).not.toBe(session);
    expect(run.answer).toContain('read_result failed: NotFound');
    expect(run.answer).toContain('analyze_result failed: NotFound');
    expect(run.answer).not.toContain(lastService(examples).id);
    const { body } = await (await platform.signedIn('olivia')).download(link);
    expect(digest(body)).toBe(statusProduced(examples).sha256);
  });

  test('a second chat that is admitted with the reference reads it', async () => {
    const client = await platform.signedIn('olivia');
    const started = await client.request('/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        agent: 'assistant',
        message: readLast(ref),
        references: [ref],
        idempotencyKey: `${ref}-admitted`,
      }),
    });
    expect(started.status).toBe(202);
    const { runId } = (await started.json()) as { runId: string };
    expect((await client.finished(runId)).answer).toContain(lastService(examples).id);
  });

  test('another owner gets not-found for the chat and for the result', async () => {
    const other = await platform.signedIn('arthur');
    expect((await other.request(`/chats/${session}`)).status).toBe(404);
    expect((await other.request(`/results/${ref}`)).status).toBe(404);
    const run = await platform.ask('arthur', readLast(ref));
    expect(run.answer).toContain('read_result failed: NotFound');
  });
});

async function chatOf(user: 'olivia', session: string) {
  const response = await (await platform.signedIn(user)).request(`/chats/${session}`);
  expect(response.status).toBe(200);
  return (await response.json()) as {
    turns: { question: string; answer: string; links: { ref: string; state: string; records: number }[] }[];
  };
}
