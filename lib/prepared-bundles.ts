import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { ToolDefinition } from '../core/tool/tool-definition.ts';

/** Files of one bundle by path, forward slashes. */
export type BundleFiles = Readonly<Record<string, Uint8Array>>;

/** Name of the archive in the package's root; a checkout has none and bundles from its sources. */
export const archiveName = 'bundles.br';
/** Beside a prepared handler: the tools of the app that deploys it. */
export const definitionsFile = 'tool-definitions.mjs';

interface Header {
  readonly bundles: Readonly<Record<string, readonly { readonly path: string; readonly part: number }[]>>;
  /** Bytes of each part, in the order in which they follow. */
  readonly parts: readonly number[];
}

/**
 * All bundles as one file: a line of JSON, then the different files one behind the other, compressed together, since
 * functions share most of their code.
 */
export function packBundles(bundles: Readonly<Record<string, BundleFiles>>): Uint8Array {
  const parts: Uint8Array[] = [];
  const known = new Map<string, number>();
  const place = (bytes: Uint8Array): number => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const standing = known.get(digest);
    if (standing !== undefined) return standing;
    known.set(digest, parts.length);
    return parts.push(bytes) - 1;
  };
  const listed = Object.entries(bundles).map(
    ([name, files]) => [name, Object.entries(files).map(([at, bytes]) => ({ path: at, part: place(bytes) }))] as const,
  );
  const header: Header = { bundles: Object.fromEntries(listed), parts: parts.map(({ length }) => length) };
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'), ...parts]);
  return brotliCompressSync(whole, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      // The window holds the bundles before, so that what they share is written once.
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
    },
  });
}

/** The bundles of an archive, by the name they were packed under. */
export function unpackBundles(archive: Uint8Array): ReadonlyMap<string, BundleFiles> {
  const whole = brotliDecompressSync(archive);
  const newline = whole.indexOf(0x0a);
  const header = JSON.parse(whole.toString('utf8', 0, newline)) as Header;
  let at = newline + 1;
  const parts = header.parts.map((bytes) => {
    at += bytes;
    return whole.subarray(at - bytes, at);
  });
  return new Map(
    Object.entries(header.bundles).map(([name, files]) => [
      name,
      Object.fromEntries(files.map(({ path: file, part }) => [file, parts[part] as Uint8Array])),
    ]),
  );
}

let opened: { readonly root: string; readonly bundles: ReadonlyMap<string, BundleFiles> } | undefined;

/** Writes a bundle that the package brings into `folder`; false where there is none, and it has to be built. */
export function writePrepared(root: string, name: string, folder: string, tools: readonly ToolDefinition[]): boolean {
  const archive = path.join(root, archiveName);
  if (!existsSync(archive)) return false;
  if (opened?.root !== root) opened = { root, bundles: unpackBundles(readFileSync(archive)) };
  const files = opened.bundles.get(name);
  if (files === undefined) return false;
  for (const [file, bytes] of Object.entries(files)) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
  if (Object.values(files).some((bytes) => Buffer.from(bytes).includes(`./${definitionsFile}`))) {
    writeFileSync(path.join(folder, definitionsFile), definitionsModule(tools));
  }
  return true;
}

/** As text inside a text: no key of it is special to the language. */
function definitionsModule(tools: readonly ToolDefinition[]): string {
  return `export const definitions=JSON.parse(${JSON.stringify(JSON.stringify(tools))});\n`;
}
