import { handler } from '../../../lambdas/analysis-engine/handler.ts';

// An input that cannot be fetched: nothing listens there, and no engine is started for it.
const job = {
  inputs: [
    {
      name: 'data',
      url: 'http://127.0.0.1:9/results/ada/body?signature=secret',
      bytes: 10,
      sha256: '0'.repeat(64),
      kind: 'json',
      path: null,
      table: null,
      recordStart: 1,
    },
  ],
  program: { kind: 'script', text: 'return "words of the program"' },
  chart: null,
  limits: { deadlineMs: 1_000, maxOutputBytes: 1_000 },
};
const call = { runId: 'a'.repeat(32), session: 'b'.repeat(32), turn: 2, index: 1, toolUseId: 'tooluse_7' };

async function logged(event: unknown): Promise<{ readonly lines: string[]; readonly answer: unknown }> {
  const lines: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((line: unknown) => {
      lines.push(...String(line).trim().split('\n'));
      return true;
    }),
  );
  const answer = await handler(event).catch((error: unknown) => error);
  for (const spy of spies) spy.mockRestore();
  return { lines, answer };
}

test('the line of a job has the ids of its call, and neither program nor address', async () => {
  const { lines, answer } = await logged({ ...job, call });
  expect(answer).toMatchObject({ outcome: 'error' });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ message: 'analysis_run', program: 'script', bytes: 10, ...call }),
  ]);
  expect(lines.join()).not.toMatch(/secret|words of|results\/ada/);
});

test('a job that tells none is run all the same; no line has the ids of the one before', async () => {
  const { lines } = await logged(job);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'analysis_run' });
  expect(lines.join()).not.toContain(call.runId);
});

test('a job comes with the digests of its inputs’ chunks, or without', async () => {
  for (const digests of [Buffer.alloc(32, 0xfb).toString('base64'), '', null]) {
    const { answer } = await logged({ ...job, inputs: [{ ...job.inputs[0], digests }] });
    expect(answer).toMatchObject({ outcome: 'error', code: 'StorageUnavailable' });
  }
});

test.each([
  ['digests that are no base64', { ...job, inputs: [{ ...job.inputs[0], digests: 'ab-_' }] }],
  ['an owner', { ...job, call: { ...call, owner: 'ada' } }],
  ['an id of another form', { ...job, call: { ...call, runId: 'ada@secret.example' } }],
  ['no inputs', { ...job, inputs: [] }],
])('an event with %s is a fault that repeats no value', async (_name, event) => {
  const { lines, answer } = await logged(event);
  expect(answer).toBeInstanceOf(Error);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'fault', error: 'ClaimcheckError' });
  expect(lines.join() + String((answer as Error).stack)).not.toMatch(/secret|words of/);
});
