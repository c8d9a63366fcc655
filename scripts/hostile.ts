import { argumentsOf } from './arguments.ts';

const { flags } = argumentsOf({
  name: 'hostile',
  usage: `npm run -s hostile [-- --said]

Runs every hostile program of the corpus in the analysis engine and prints what became of each.

  --said  also what was answered
`,
  options: { said: 'flag' },
});
// After the arguments: the corpus starts the engines that it needs.
const { runCorpus } = await import('../test/hostile/run-corpus.ts');

const started = Date.now();
const report = await runCorpus();
const wordy = flags.has('said');
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
