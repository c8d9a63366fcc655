import { runCorpus } from '../test/hostile/run-corpus.ts';

/** Prints what became of every hostile program: `npm run -s hostile`, with `-- --said` also what was answered. */
const started = Date.now();
const report = await runCorpus();
const wordy = process.argv.includes('--said');
for (const { kind, name, outcome, milliseconds, leaks, said } of report.rows) {
  const line = `${kind.padEnd(7)}${outcome.padEnd(9)}${String(milliseconds).padStart(6)} ms  ${name}`;
  process.stdout.write(`${line}${leaks.length === 0 ? '' : `  LEAK: ${leaks.join(', ')}`}\n`);
  if (wordy) process.stdout.write(`       ${said.replace(/\s+/g, ' ')}\n`);
}
const { rows, ...facts } = report;
for (const kind of ['sql', 'script', 'chart', 'data'] as const) {
  const of = rows.filter((row) => row.kind === kind);
  const count = (outcome: string) => of.filter((row) => row.outcome === outcome).length;
  const slowest = Math.max(...of.map((row) => row.milliseconds));
  process.stdout.write(
    `${kind}: ${of.length} in all, ${count('refused')} refused, ${count('limit')} ended by a limit, ${count('answered')} answered harmlessly, ${count('fault')} faults; slowest ${slowest} ms\n`,
  );
}
process.stdout.write(`${JSON.stringify(facts)}\n${Math.round((Date.now() - started) / 1000)} s\n`);
