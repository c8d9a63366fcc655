import { crc32 } from 'node:zlib';
import type { ConverseReply } from './reply.ts';
import type { Refusal, WireBlock } from './request.ts';

/** Content type of a streamed answer. */
export const eventStreamType = 'application/vnd.amazon.eventstream';

/** Characters of one delta: small enough that texts and tool inputs come in several. */
const deltaCharacters = 40;

/** A Converse answer as the messages of ConverseStream, each as it travels. */
export function* eventMessages({ output, stopReason, usage, metrics }: ConverseReply): Generator<Buffer> {
  yield eventMessage('messageStart', { role: output.message.role });
  for (const [contentBlockIndex, block] of output.message.content.entries()) {
    if (block.toolUse !== undefined) {
      const { toolUseId, name } = block.toolUse;
      yield eventMessage('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } });
    }
    for (const delta of deltas(block)) yield eventMessage('contentBlockDelta', { contentBlockIndex, delta });
    yield eventMessage('contentBlockStop', { contentBlockIndex });
  }
  yield eventMessage('messageStop', { stopReason });
  yield eventMessage('metadata', { usage, metrics });
}

/** A refusal that comes when the stream has already been opened: an exception as its next message. */
export function exceptionMessage({ name, message }: Refusal): Buffer {
  const type = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  return encoded({ ':message-type': 'exception', ':exception-type': type }, { message });
}

function deltas(block: WireBlock): readonly object[] {
  if (block.toolUse !== undefined) {
    return pieces(JSON.stringify(block.toolUse.input)).map((input) => ({ toolUse: { input } }));
  }
  return pieces(block.text ?? '').map((text) => ({ text }));
}

/** Never within a pair of surrogates: each delta is well-formed by itself. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${deltaCharacters}}`, 'gu')) ?? [];
}

/** One event of a stream, as it travels. */
export function eventMessage(type: string, body: object): Buffer {
  return encoded({ ':message-type': 'event', ':event-type': type }, body);
}

/**
 * One message of the encoding `application/vnd.amazon.eventstream` (Amazon Transcribe's developer guide describes it):
 * lengths of the whole and of the headers, their CRC-32, the headers, the payload, the CRC-32 of all of it.
 */
function encoded(headers: Readonly<Record<string, string>>, body: object): Buffer {
  const head = Buffer.concat(
    Object.entries({ ...headers, ':content-type': 'application/json' }).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      // 7 is the type of a string.
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const payload = Buffer.from(JSON.stringify(body));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(8 + 4 + head.length + payload.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), head, payload]);
  return Buffer.concat([checked, checksum(checked)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
