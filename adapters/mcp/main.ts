#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { References } from '../../core/wrap/references.ts';
import { FileCatalogue } from '../../files/file-catalogue.ts';
import { FileResultStore } from '../../files/file-result-store.ts';
import { serveStdio } from './stdio.ts';

/** `claimcheck-mcp --folder F --owner O --session S`: the results in a folder for an MCP client on the same machine. */
const { values } = parseArgs({
  options: { folder: { type: 'string' }, owner: { type: 'string' }, session: { type: 'string' } },
});
const { folder, owner, session } = values;
if (folder === undefined || owner === undefined || session === undefined) {
  process.stderr.write('usage: claimcheck-mcp --folder FOLDER --owner OWNER --session SESSION\n');
  process.exitCode = 2;
} else {
  const references = new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
  await serveStdio(references, { owner, session });
}
