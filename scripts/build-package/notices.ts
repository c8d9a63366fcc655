import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../lib/bundling.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Licences of everything that the package carries inside its bundles, in their own words; the same words once. */
export function thirdPartyNotices(inputs: readonly string[]): string {
  const folders = new Set(
    inputs.flatMap((input) => {
      const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
      return found === undefined ? [] : [join(projectRoot, found)];
    }),
  );
  const named = new Map<string, Set<string>>();
  for (const folder of folders) {
    const { title, words } = notice(folder);
    named.set(words, (named.get(words) ?? new Set()).add(title));
  }
  const notices = [...named].map(([words, titles]) => `${[...titles].sort().join('\n')}\n\n${words}`);
  return `${notices.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function notice(folder: string): { readonly title: string; readonly words: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const words = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim());
  return { title: `${name} ${version}, ${license ?? 'see below'}`, words: words.join('\n\n') };
}
