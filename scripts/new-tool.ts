import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addToCatalogue, toolFiles } from './new-tool/tool-files.ts';

/**
 * `npm run new-tool -- NAME [--folder FOLDER]`: a tool's function, its description with budget, roles and retry class,
 * its place in the catalogue, and its test. Refuses a name that is taken or that no model may call; changes nothing then.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { folder: { type: 'string' } } });
const root = resolve(values.folder ?? resolve(import.meta.dirname, '..'));
const name = positionals[0] ?? '';

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (!/^[a-z][a-z0-9_]{0,47}$/.test(name)) refuse('usage: npm run new-tool -- NAME, where NAME is like order_list');
const files = toolFiles(name);
for (const path of Object.keys(files)) if (existsSync(join(root, path))) refuse(`${path} is there already`);
const cataloguePath = join(root, 'tools/catalogue.ts');
const catalogue = addToCatalogue(readFileSync(cataloguePath, 'utf8'), name);
if (catalogue === undefined)
  refuse('tools/catalogue.ts: the list of deployed tools was not found; add the tool by hand');
for (const [path, text] of Object.entries(files)) {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}
writeFileSync(cataloguePath, catalogue);
process.stdout.write(`${[...Object.keys(files), 'tools/catalogue.ts'].join('\n')}\n`);
process.stdout.write(`The tool is open to nobody yet: name its roles in ${Object.keys(files)[0]}.\n`);
