import { createHash } from 'node:crypto';
import { readArguments, type StartOptions, usage } from './command-line.ts';
import { executionStates, statesTable } from './execution-states.ts';
import { localFolder } from './folder.ts';
import { output, type Platform, startPlatform } from './platform.ts';
import { localUsers } from './users.ts';

/** `npm start`: brings the platform up, asks one question, prints what came of it, then waits for Ctrl-C. */
async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  let options: StartOptions;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  const abort = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        abort.abort();
        resolve();
      });
    }
  });
  const began = Date.now();
  const say = (line: string) =>
    process.stdout.write(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${line}\n`);
  let platform: Platform | undefined;
  try {
    platform = await startPlatform({
      examples: { records: options.records, seed: options.seed },
      say,
      abort: abort.signal,
      ...(options.port === undefined ? {} : { port: options.port }),
      ...(options.folder === undefined ? {} : { folder: localFolder(options.folder) }),
    });
    const work = askOnce(platform, options, say);
    work.catch(() => {});
    await Promise.race([work, platform.ended, stopped]);
    if (abort.signal.aborted) return 130;
    if (!options.once) {
      process.stdout.write('\nPress Ctrl-C to stop everything. What was made is kept for the next start.\n');
      await Promise.race([platform.ended, stopped]);
    }
    return 0;
  } catch (error) {
    if (abort.signal.aborted) return 130;
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    if (platform !== undefined) {
      process.stdout.write('\nstopping\n');
      await platform.stop();
    }
  }
}

/** One run of the flow through the front door, and everything worth knowing about it afterwards. */
async function askOnce(platform: Platform, options: StartOptions, say: (line: string) => void): Promise<void> {
  const client = await platform.signedIn('olivia');
  say(`asking ${options.agent}: ${options.question}`);
  const { runId, session } = await client.startRun({ agent: options.agent, message: options.question });
  const run = await client.finished(runId);
  say(`the run ${runId} has ${run.status}`);
  const flows = JSON.parse(output(platform.outputs, 'FlowArns')) as Record<string, string>;
  const flow = flows[options.agent] ?? '';
  const states = await executionStates(
    platform.emulatorUrl,
    `${flow.replace(':stateMachine:', ':execution:')}:${runId}`,
  );
  const rows = (await client.catalog()).filter(({ ref }) => ref.startsWith(`${session}/`));
  const lines = ['', 'States of the execution, bytes of payload:', statesTable(states)];
  lines.push('', 'Answer:', run.answer ?? run.failure ?? '(none)');
  for (const row of rows) {
    const link = `${platform.baseUrl}/results/${row.ref}`;
    const { response, body } = await client.download(link);
    const downloaded =
      response.status === 200 ? createHash('sha256').update(body).digest('hex') : `HTTP ${response.status}`;
    lines.push('', `Stored result of ${row.tool}: ${row.records ?? '?'} ${row.unit}, ${row.bytes} bytes`);
    lines.push(`  SHA-256 stored      ${row.sha256}`, `  SHA-256 downloaded  ${downloaded}`, `  download  ${link}`);
    if (row.export_url !== null) lines.push(`  CSV       ${row.export_url}`);
  }
  lines.push('', `Console:  ${platform.baseUrl}/`, 'Sign in there as');
  for (const [name, roles] of Object.entries(localUsers)) {
    lines.push(
      `  ${name}  password ${platform.passwords[name as keyof typeof localUsers]}  (roles: ${roles.join(', ')})`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  if (run.status !== 'succeeded') throw new Error(`the run has ${run.status}: ${run.failure ?? 'no reason given'}`);
}

process.exitCode = await main();
