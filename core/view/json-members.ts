/**
 * The elements of a JSON list, or the members of an object, as slices of the text: values keep their own digits,
 * which `JSON.parse` would not. `text` starts at the first element (or inside the brackets) and may be cut: what is
 * not whole is not delivered. Expects text that a parser has already accepted; anything else ends the walk early.
 */
export function* elements(text: string): Generator<string> {
  let at = 0;
  for (;;) {
    at = past(text, at, /[\s,]*/y);
    const end = valueEnd(text, at);
    if (end === undefined) return;
    yield text.slice(at, end);
    at = end;
  }
}

/** The members of one object, in order. Not an object: nothing. */
export function* members(object: string): Generator<readonly [key: string, value: string]> {
  if (!object.startsWith('{')) return;
  let at = 1;
  for (;;) {
    at = past(object, at, /[\s,]*/y);
    if (object[at] !== '"') return;
    const keyEnd = valueEnd(object, at);
    if (keyEnd === undefined) return;
    const start = past(object, keyEnd, /\s*:\s*/y);
    const end = valueEnd(object, start);
    if (end === undefined) return;
    yield [JSON.parse(object.slice(at, keyEnd)) as string, object.slice(start, end)];
    at = end;
  }
}

/** Past the value that starts at `at`; undefined when none starts there or it is cut. */
function valueEnd(text: string, at: number): number | undefined {
  const first = text[at];
  if (first === undefined || first === ']' || first === '}') return undefined;
  if (first === '"') return stringEnd(text, at);
  if (first !== '{' && first !== '[') {
    const end = past(text, at, /[^\s,\]}]*/y);
    // A number or word at the very end of a cut text may go on.
    return end === text.length || end === at ? undefined : end;
  }
  let depth = 0;
  const token = /["[\]{}]/g;
  token.lastIndex = at;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const c = match[0];
    if (c === '"') {
      const end = stringEnd(text, match.index);
      if (end === undefined) return undefined;
      token.lastIndex = end;
    } else {
      depth += c === '{' || c === '[' ? 1 : -1;
      if (depth === 0) return match.index + 1;
    }
  }
  return undefined;
}

function stringEnd(text: string, at: number): number | undefined {
  for (let i = at + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i + 1;
  }
  return undefined;
}

function past(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
