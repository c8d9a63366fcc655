import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ToolDefinition } from '../../core/tool/tool-definition.ts';
import {
  archiveName,
  type BundleFiles,
  definitionsFile,
  packBundles,
  unpackBundles,
  writePrepared,
} from '../../lib/prepared-bundles.ts';
import { deployedTools } from '../../tools/catalogue.ts';

const root = mkdtempSync(path.join(tmpdir(), 'claimcheck-prepared-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const shared = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `export const value${n}=${n * 7919};`).join('\n'));
const bundles: Readonly<Record<string, BundleFiles>> = {
  'lambdas/one/handler.ts': { 'index.mjs': Buffer.from(`import './${definitionsFile}'`), 'chunk-a.mjs': shared },
  'lambdas/two/handler.ts': {
    'index.mjs': Buffer.from('export {}\n'),
    'chunk-b.mjs': shared,
    'deep/file.css': Buffer.alloc(0),
  },
};
const plain = (files: BundleFiles | undefined) =>
  Object.fromEntries(Object.entries(files ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes)]));

test('what was packed comes back, byte for byte, and what bundles share is there once', () => {
  const packed = packBundles(bundles);
  const back = unpackBundles(packed);
  expect([...back.keys()]).toEqual(Object.keys(bundles));
  for (const [name, files] of Object.entries(bundles)) expect(plain(back.get(name))).toEqual(plain(files));
  const one = packBundles({ 'lambdas/one/handler.ts': bundles['lambdas/one/handler.ts'] as BundleFiles });
  expect(packed.length).toBeLessThan(one.length * 1.05);
});

test('the tools of the deploying app are written where a bundle asks for them, whatever their words hold', () => {
  expect(writePrepared(root, 'lambdas/one/handler.ts', root, [])).toBe(false);
  writeFileSync(path.join(root, archiveName), packBundles(bundles));
  const description = 'it\'s "quoted" \\ `tick` \u2028 </script> 検索';
  const inputSchema = JSON.parse('{"type":"object","__proto__":{"polluted":true}}');
  const tools = [{ ...deployedTools[0]?.definition, description, inputSchema } as ToolDefinition];
  const folder = path.join(root, 'one');
  expect(writePrepared(root, 'lambdas/one/handler.ts', folder, tools)).toBe(true);
  expect(readdirSync(folder).sort()).toEqual(['chunk-a.mjs', 'index.mjs', definitionsFile]);
  const source = readFileSync(path.join(folder, definitionsFile), 'utf8').replace(
    'export const definitions=',
    'return ',
  );
  const read = new Function(source)() as ToolDefinition[];
  expect(JSON.stringify(read)).toBe(JSON.stringify(tools));
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();

  const other = path.join(root, 'two');
  expect(writePrepared(root, 'lambdas/two/handler.ts', other, tools)).toBe(true);
  expect(readdirSync(other, { recursive: true }).sort()).toEqual([
    'chunk-b.mjs',
    'deep',
    path.join('deep', 'file.css'),
    'index.mjs',
  ]);
  expect(writePrepared(root, 'lambdas/three/handler.ts', other, tools)).toBe(false);
});
