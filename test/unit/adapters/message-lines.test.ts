import { messageLines } from '../../../adapters/mcp/message-lines.ts';

const maxBytes = 1_000;
const wide = 'x'.repeat(2_000);

/** What comes out of a text that arrives in pieces of so many bytes. */
async function through(text: string, pieceBytes: number) {
  const ids: unknown[] = [];
  const lines = messageLines(maxBytes, (id) => ids.push(id));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) lines.write(bytes.subarray(at, at + pieceBytes));
  lines.end();
  const out: string[] = [];
  for await (const line of lines) out.push(String(line));
  return { out, ids };
}

it.each([1, 7, 64, 999, 1_000, 1_001, 65_536])(
  'in pieces of %i bytes: every line whole and by itself, those that are too wide by their ids',
  async (pieceBytes) => {
    const edge = `"${'中'.repeat(332)}"`;
    expect(Buffer.byteLength(`${edge}\n`)).toBe(maxBytes - 1);
    const text = `one\n${edge}\n\n{"jsonrpc":"2.0","id":7,"p":"${wide}"}\n${edge}x\n{"p":"${wide}","id":"b"}\r\nlast\n`;
    const { out, ids } = await through(text, pieceBytes);
    expect(out).toEqual(['one\n', `${edge}\n`, '\n', `${edge}x\n`, 'last\n']);
    expect(ids).toEqual([7, 'b']);
  },
);

it.each<[string, string, unknown]>([
  ['first', `{"id":12,"jsonrpc":"2.0","params":{"t":"${wide}"}}`, 12],
  ['last', `{"method":"m","params":{"t":"${wide}"},"jsonrpc":"2.0","id":"a-1"}`, 'a-1'],
  ['not that of an argument', `{"method":"m","params":{"t":"${wide}","id":5}}`, undefined],
  ['not one inside a text', `{"method":"m","t":"${wide}\\"id\\":5}`, undefined],
  ['none', `{"method":"m","params":{"t":"${wide}"}}`, undefined],
])('the id of a message that is too wide: %s', async (_, message, id) => {
  expect((await through(`${message}\n`, 300)).ids).toEqual([id]);
});
