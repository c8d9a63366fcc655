import { readFileSync } from 'node:fs';
import { localFolder } from '../../local/folder.ts';
import { digest, lastService, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(240_000);
const platform = testPlatform();
const { baseUrl, examples } = platform.handle;

afterAll(() => platform.users.give('olivia', 'ops'));

test('a delegate paraphrases link and total, the writer drops both: the person gets them unchanged beside the answer', async () => {
  const run = await platform.ask('olivia', 'How many services does the status report hold?', 'research');
  // What the models made of it: neither the link nor the total is in the answer.
  expect(run.answer).not.toContain(baseUrl);
  expect(run.answer).not.toMatch(new RegExp(`\\b${examples.records}\\b`));
  expect(run.answer).not.toContain('files.example');
  // The analyst read the last record, which only the grant of the handed-over reference opens.
  expect(run.answer).toContain(lastService(examples).id);
  expect(run.answer).not.toContain('Not executed again');
  expect(run.steps.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
    'service_status success',
    'read_result success',
  ]);
  const [link, ...others] = run.links;
  expect(others).toEqual([]);
  expect(link).toMatchObject({ tool: 'service_status', state: 'available', records: examples.records });
  expect(link?.download_url).toBe(`${baseUrl}/results/${link?.ref}`);
  const { body } = await (await platform.signedIn('olivia')).download(link?.download_url ?? '');
  expect(digest(body)).toBe(statusProduced(examples).sha256);
  // What it rests on: the preview and the last record, out of all of them.
  const [basis] = run.basis?.results ?? [];
  expect(basis).toMatchObject({ ref: link?.ref, total: examples.records, complete: false });
  expect(basis?.ranges.at(-1)).toEqual([examples.records - 1, examples.records]);
  expect(basis?.unread).toBe(examples.records - (basis?.seen ?? 0));
});

test('the analyst’s answers come by ConverseStream, as its model’s setting says; the others’ do not', async () => {
  const run = await platform.ask('olivia', 'How many services hold a status?', 'research');
  const ref = run.links[0]?.ref ?? '';
  const ways = requests(ref).map(({ request: { system }, streamed }) => [
    /You (collect|weigh|write)/.exec(system.map(({ text }) => text ?? '').join(' '))?.[1],
    streamed === true,
  ]);
  expect(ways).toEqual([
    ['collect', false],
    ['weigh', true],
    ['weigh', true],
    ['write', false],
  ]);
});

test('the next agent gets link and total by code, whatever the delegate wrote', async () => {
  const run = await platform.ask('olivia', 'How many services are in the status report?', 'research');
  const ref = run.links[0]?.ref ?? '';
  const link = `${baseUrl}/results/${ref}`;
  for (const to of ['analyst', 'writer']) {
    const handedOn = opening(ref, to);
    expect(handedOn).toContain(`[service_status](${link})`);
    expect(handedOn).toContain(`- total: ${examples.records} records in all`);
    const facts = handedOn.slice(0, handedOn.indexOf('\n\nWhat '));
    expect(facts).not.toContain('files.example');
  }
  expect(opening(ref, 'analyst')).toContain('https://files.example/service_status');
});

test('the delegate’s full text opens for its owner alone, and not once the source tool’s role is gone', async () => {
  const run = await platform.ask('olivia', 'Report in detail on the services of the status report.', 'research');
  const digestStart = statusProduced(examples).sha256.slice(0, 12);
  const text = run.links.find(({ tool }) => tool === 'hand-off');
  expect(text).toMatchObject({ state: 'available' });
  // The decisive line stands at its end: past what was handed on, and read there by the next agent's own grant.
  expect(opening(text?.ref ?? '', 'analyst')).toContain('Remark 1:');
  expect(opening(text?.ref ?? '', 'analyst')).not.toContain(digestStart);
  expect(run.answer).toContain(digestStart);

  const link = text?.download_url ?? '';
  const owner = await platform.signedIn('olivia');
  const { response, body } = await owner.download(link);
  expect(response.status).toBe(200);
  expect(Buffer.from(body).toString('utf8').trimEnd()).toMatch(new RegExp(`begins with ${digestStart}\\.$`));
  const path = `/results/${text?.ref}`;
  expect((await (await platform.signedIn('arthur')).request(path)).status).toBe(404);

  await platform.users.take('olivia', 'ops');
  const refused = await owner.request(path);
  expect(refused.status).toBe(403);
  expect(refused.headers.get('location')).toBeNull();
  expect((await owner.run(run.runId)).links.map(({ state }) => state)).toEqual(['not_allowed', 'not_allowed']);

  await platform.users.give('olivia', 'ops');
  expect((await owner.download(link)).response.status).toBe(200);
});

interface SentRequest {
  readonly streamed?: boolean;
  readonly request: {
    readonly system: readonly { readonly text?: string }[];
    readonly messages: readonly { readonly content: readonly { readonly text?: string }[] }[];
  };
}

/** The requests that named this reference, in order, as the model was really sent them. */
function requests(ref: string): readonly SentRequest[] {
  const lines = readFileSync(localFolder(platform.handle.folder).modelRequests, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => line.includes(ref)).map((line) => JSON.parse(line) as SentRequest);
}

/** The text that opened this agent's part of the run which holds this reference. */
function opening(ref: string, to: string): string {
  const texts = requests(ref).flatMap(({ request }) =>
    (request.messages[0]?.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])),
  );
  return texts.find((text) => text.includes(` to ${to}. `) && text.includes(ref)) ?? '';
}
