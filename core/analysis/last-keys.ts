/**
 * One record's JSON text with each object's repeated keys reduced to their last value, as `JSON.parse` reads them, and
 * every other character of it as it was: numbers keep all their digits. The text must be valid JSON. Throws
 * `RangeError` for a record that is nested too deep to be walked.
 */
export function lastKeys(json: string): string {
  return new Rewriter(json).value();
}

const escapes =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|u[dD][c-fC-F][0-9a-fA-F]{2}|[\s\S])/g;

/** Half a surrogate pair, which is no character, becomes U+FFFD; every other escape stays as it was. */
export function pairedEscapes(json: string): string {
  return json.replace(escapes, (found) => (/^\\u[dD][89a-fA-F]/.test(found) && found.length === 6 ? '\\ufffd' : found));
}

const space = /[ \t\r\n]*/y;
const plainScalar = /[^\s,:{}[\]"]+/y;

class Rewriter {
  readonly #json: string;
  #at = 0;

  constructor(json: string) {
    this.#json = json;
  }

  value(): string {
    this.#pass();
    const first = this.#json[this.#at];
    if (first === '{') return this.#object();
    if (first === '[') return this.#list();
    return this.#scalar();
  }

  #object(): string {
    const members = new Map<string, string>();
    this.#at += 1;
    for (;;) {
      this.#pass();
      if (this.#take('}')) break;
      const key = this.#scalar();
      this.#pass();
      this.#take(':');
      // The same name may be written in two ways.
      members.set(JSON.parse(key) as string, `${key}:${this.value()}`);
      this.#pass();
      this.#take(',');
    }
    return `{${[...members.values()].join(',')}}`;
  }

  #list(): string {
    const items: string[] = [];
    this.#at += 1;
    for (;;) {
      this.#pass();
      if (this.#take(']')) break;
      items.push(this.value());
      this.#pass();
      this.#take(',');
    }
    return `[${items.join(',')}]`;
  }

  #scalar(): string {
    const from = this.#at;
    if (this.#json[from] === '"') this.#at = this.#stringEnd(from);
    else {
      plainScalar.lastIndex = from;
      if (!plainScalar.test(this.#json)) throw new SyntaxError('expected a value');
      this.#at = plainScalar.lastIndex;
    }
    return this.#json.slice(from, this.#at);
  }

  /** A pattern with a choice at every character runs out of stack in a string of some megabytes. */
  #stringEnd(from: number): number {
    for (let quote = this.#json.indexOf('"', from + 1); quote >= 0; quote = this.#json.indexOf('"', quote + 1)) {
      let slashes = 0;
      while (this.#json[quote - 1 - slashes] === '\\') slashes += 1;
      if (slashes % 2 === 0) return quote + 1;
    }
    throw new SyntaxError('expected the end of a string');
  }

  #take(character: string): boolean {
    if (this.#json[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #pass(): void {
    space.lastIndex = this.#at;
    space.exec(this.#json);
    this.#at = space.lastIndex;
  }
}
