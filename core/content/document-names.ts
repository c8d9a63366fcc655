const longest = 200;

/**
 * Document names as the service takes them (API reference, DocumentBlock.name): letters, digits, single spaces,
 * hyphens, round and square brackets, 1 to 200 characters, each once in a request. One instance per request; the
 * same names in the same order get the same result, so a request stays the same from turn to turn.
 */
export class DocumentNames {
  private readonly taken = new Map<string, string>();

  /** A free name near the original. */
  allocate(original: string): string {
    const base = reduced(original);
    let name = base;
    for (let copy = 2; this.taken.has(name); copy += 1) {
      const mark = ` (${copy})`;
      name = `${base.slice(0, longest - mark.length).trimEnd()}${mark}`;
    }
    this.taken.set(name, original);
    return name;
  }

  /** The name that people know, by the name that was sent. */
  get originals(): ReadonlyMap<string, string> {
    return this.taken;
  }
}

function reduced(original: string): string {
  const plain = original
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9\-()[\]]+/g, ' ')
    .trim()
    .slice(0, longest)
    .trimEnd();
  // Brackets and hyphens alone name nothing.
  return /[A-Za-z0-9]/.test(plain) ? plain : 'document';
}
