/** What JSON-RPC puts around a result: version, id, names; a client's id is a number or a short text. */
const envelopeBytes = 512;

/** Bytes of a message that carries this result. */
export function messageBytes(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result), 'utf8') + envelopeBytes;
}

/**
 * The largest answer whose message is within `maxBytes` (`transport.maxBytes`). An answer is a text inside JSON inside a
 * message: how much its quotes cost there is known only when it is made, so it is asked for again with less room.
 */
export async function withinMessage<Answer, Result>(
  maxBytes: number,
  ask: (bytes: number) => Promise<Answer>,
  result: (answer: Answer) => Result,
): Promise<Result | null> {
  let room = maxBytes - 2 * envelopeBytes;
  for (let attempt = 0; attempt < 8 && room > 256; attempt += 1) {
    const made = result(await ask(room));
    const bytes = messageBytes(made);
    if (bytes <= maxBytes) return made;
    room = Math.floor(Math.min(room * 0.9, (room * maxBytes) / bytes - envelopeBytes));
  }
  return null;
}
