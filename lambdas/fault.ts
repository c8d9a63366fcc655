/**
 * A fault as it may leave a function: the runtime writes what is thrown into the log, and a caller may pass its message
 * on to a model or a person. So it says what kind of error it was and where, never its message, which may quote data,
 * an identity or an address inside the account. `name` is what a caller sees as its type.
 */
export function fault(error: unknown, name = 'Fault'): Error {
  const thrown = new Error(`${nameOf(error)} ${requestOf(error)}${placeOf(error)}`.trim());
  thrown.name = name;
  thrown.stack = `${thrown.name}: ${thrown.message}\n${framesOf(error).join('\n')}`.slice(0, 2_000);
  return thrown;
}

/** The first line of the stack: where it broke, without the message. */
export function placeOf(error: unknown): string {
  return (framesOf(error)[0] ?? '').trim().slice(0, 200);
}

/** An error's class, as far as it is a name and no sentence. */
export function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[A-Za-z][\w.]{0,79}$/.test(name) ? name : 'Error';
}

/** The request that AWS refused, for its support. */
function requestOf(error: unknown): string {
  const id = (error as { $metadata?: { requestId?: unknown } } | null | undefined)?.$metadata?.requestId;
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? `(request ${id}) ` : '';
}

/** The frames behind the message, which may itself have lines that read like frames. */
function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const heading = error.message === '' ? -1 : error.stack.indexOf(error.message);
  const behind = heading < 0 ? error.stack : error.stack.slice(heading + error.message.length);
  return behind.split('\n').filter((line) => /^\s+at \S/.test(line) && line.length <= 400);
}
