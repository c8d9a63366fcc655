#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { References } from '../../core/wrap/references.ts';
import { resultsFolder } from '../../files/results-folder.ts';
import { serveStdio } from './stdio.ts';

/**
 * `claimcheck-mcp --folder F --owner O --session S [--analysis]`: the results in a folder for an MCP client on the same
 * machine; with `--analysis` it offers `analyze_result` too, for which two packages with native code must be installed.
 */
const usage = 'usage: claimcheck-mcp --folder FOLDER --owner OWNER --session SESSION [--analysis]\n';
const values = given();
const { folder, owner, session } = values;
if (values.help) process.stdout.write(usage);
else if (folder === undefined || owner === undefined || session === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  const { store, catalogue } = resultsFolder(folder);
  // Loaded only where it is asked for.
  const analysis = values.analysis
    ? await (await import('../../engine/in-process.ts')).inProcessEngine({ store })
    : undefined;
  const references = new References({ store, catalogue, ...(analysis && { analysis }) });
  await serveStdio(references, { owner, session });
}

function given() {
  const options = {
    folder: { type: 'string' },
    owner: { type: 'string' },
    session: { type: 'string' },
    analysis: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // An argument that it does not know: named, and then the usage, as for one that is missing.
    process.stderr.write(`${(error as Error).message}\n`);
    return { analysis: false, help: false };
  }
}
