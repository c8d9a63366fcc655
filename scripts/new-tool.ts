import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argumentsOf, refuse } from './arguments.ts';
import { addToCatalogue, toolFiles } from './new-tool/tool-files.ts';

/**
 * `npm run new-tool -- NAME [--folder FOLDER]`: a tool's function, its description with budget, roles and retry class,
 * its place in the catalogue, and its test. Refuses a name that is taken or that no model may call; changes nothing then.
 */
const command = {
  name: 'new-tool',
  usage: `npm run new-tool -- NAME [--folder FOLDER]

A tool's function, description, place in the catalogue and test. NAME is like order_list.

  --folder FOLDER  the project (default: this one)
`,
  options: { folder: 'a folder' },
  positionals: ['NAME'],
} as const;
const { values, positionals } = argumentsOf(command);
const root = resolve(values['folder'] ?? resolve(import.meta.dirname, '..'));
const name = positionals[0] ?? '';

/** What stands in the way is no fault of the arguments. */
function stop(message: string): never {
  process.stderr.write(`new-tool: ${message}\n`);
  process.exit(1);
}

if (!/^[a-z][a-z0-9_]{0,47}$/.test(name))
  refuse(
    command,
    `NAME: expected lower-case letters, digits and underscores, a letter first, at most 48; found ${name || 'nothing'}`,
  );
const files = toolFiles(name);
for (const path of Object.keys(files)) if (existsSync(join(root, path))) stop(`${path} is there already`);
const cataloguePath = join(root, 'tools/catalogue.ts');
const catalogue = addToCatalogue(readFileSync(cataloguePath, 'utf8'), name);
if (catalogue === undefined) stop('tools/catalogue.ts: the list of deployed tools was not found; add the tool by hand');
for (const [path, text] of Object.entries(files)) {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}
writeFileSync(cataloguePath, catalogue);
process.stdout.write(`${[...Object.keys(files), 'tools/catalogue.ts'].join('\n')}\n`);
process.stdout.write(`The tool is open to nobody yet: name its roles in ${Object.keys(files)[0]}.\n`);
