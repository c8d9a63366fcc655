import type { DownloadFacts, DownloadObjects, DownloadTarget } from '../../core/download/download-objects.ts';
import { ClaimcheckError } from '../../core/errors.ts';

/** Objects in memory, under the same keys; counts every look, which is what timing and cost come from. */
export class MemoryObjects implements DownloadObjects {
  readonly facts = new Map<string, DownloadFacts>();
  readonly looks: string[] = [];
  down = false;

  put(owner: string, target: DownloadTarget, facts: Partial<DownloadFacts> = {}): void {
    this.facts.set(keyOf(owner, target), {
      bytes: 14_713_201,
      contentType: 'application/json',
      tools: ['service_status'],
      availableUntil: '2099-12-30T00:00:00Z',
      ...facts,
    });
  }

  async look(owner: string, target: DownloadTarget): Promise<DownloadFacts | undefined> {
    const key = keyOf(owner, target);
    this.looks.push(key);
    if (this.down) throw new ClaimcheckError('StorageUnavailable', 'The storage does not answer right now.');
    return this.facts.get(key);
  }

  async signedUrl(
    owner: string,
    target: DownloadTarget,
    answer: { readonly disposition: string; readonly contentType: string },
    seconds: number,
  ): Promise<string> {
    const query = new URLSearchParams({ ...answer, expires: String(seconds) });
    return `https://bucket.example/${keyOf(owner, target)}?${query}`;
  }
}

function keyOf(owner: string, target: DownloadTarget): string {
  return target.kind === 'export' ? `exports/${owner}/${target.id}` : `results/${owner}/${target.session}/${target.id}`;
}
