import { type PromptMessage, promptCodec } from '../../../adapters/ai-sdk-messages.ts';
import { messagePart } from '../../../adapters/media-part.ts';
import { ConversationGuard } from '../../../core/wrap/conversation-guard.ts';
import { workspace } from '../wrap/workspace.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (mediaType: string, data: object) => ({ type: 'file', mediaType, data });
const files = [
  file('image/png', { type: 'data', data: base64('a picture') }),
  file('application/pdf', { type: 'data', data: base64('%PDF') }),
  file('audio/wav', { type: 'data', data: Buffer.from('RIFF') }),
  file('application/zip', { type: 'url', url: new URL('https://files.example/all.zip') }),
];

/** Two results of words and files, as the AI SDK hands them to a model. */
const prompt = ['one', 'two'].flatMap((toolCallId) => [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'report', input: {} }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId,
        toolName: 'report',
        output: {
          type: 'content',
          value: [{ type: 'text', text: `${toolCallId} ${'word '.repeat(4_000)}` }, ...files],
        },
      },
    ],
  },
]) as unknown as PromptMessage[];

/** What a model gets of the prompt in a window of so many tokens. */
async function sent(windowTokens: number): Promise<readonly PromptMessage[]> {
  const { references, run } = workspace();
  const guard = new ConversationGuard(references, { windowTokens, maxTokens: 1_000 });
  return guard.call(run, { messages: prompt, system: '', tools: [] }, promptCodec, async (messages) => messages);
}

it('the guard takes the words of results out and leaves every file where it is, also those that are elsewhere', async () => {
  expect(await sent(80_000)).toBe(prompt);
  const fitted = await sent(50_000);
  expect(fitted).not.toBe(prompt);
  for (const at of [1, 3]) {
    const [result] = (fitted[at] as PromptMessage).content as unknown as [{ output: { value: object[] } }];
    expect(result.output.value.slice(-4)).toEqual(files);
  }
  expect(JSON.stringify(fitted)).toContain('[full result stored: ref');
  expect(JSON.stringify(prompt)).not.toContain('full result stored');
});

it('files that stay are counted: what remains does not fit because the words are gone', async () => {
  // Six files of 4,600 tokens at least stay; the words alone would have made room enough.
  await expect(sent(24_000)).rejects.toMatchObject({ code: 'ContextOverflow' });
});

it.each([
  [{ type: 'image', mimeType: 'image/png', data: base64('x') }, 'image'],
  [{ type: 'image_url', image_url: { url: 'https://files.example/a.png' } }, 'image'],
  [{ type: 'file', mimeType: 'application/pdf', data: base64('x') }, 'document'],
  [{ type: 'audio', mimeType: 'audio/wav', data: base64('x') }, 'document'],
  [{ type: 'video', fileId: 'f-1' }, 'document'],
  [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64('x') } }, 'document'],
  [{ type: 'input_audio', input_audio: { data: base64('x'), format: 'wav' } }, 'document'],
  [{ type: 'media', mimeType: 'application/pdf', data: base64('x') }, 'document'],
  [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }, 'json'],
  [{ type: 'text', text: 'words' }, 'text'],
  [{ type: 'other', data: 'x' }, 'json'],
])('%j is a block of its kind', (part, kind) => {
  expect(Object.keys(messagePart(part))).toEqual([kind]);
});
