/** `npm run -s try -- <command> …`: what a model would see of your own file, before anything is deployed. */
const commands = ['preview', 'read', 'csv', 'guard'] as const;

const usage = `npm run -s try -- preview FILE [--budget BYTES]
npm run -s try -- read FILE [--fields a,b] [--offset N] [--limit N] [--ids a,b] [--lines A-B] [--bytes A-B] [--part N]
npm run -s try -- csv FILE [--budget BYTES] --out OUT.csv
npm run -s try -- guard REQUEST.json --window TOKENS [--share 0.85]
`;

/** A command prints its one JSON object and answers its exit status. */
export type TryCommand = (args: readonly string[]) => Promise<number>;

async function main(): Promise<number> {
  const [name, ...args] = process.argv.slice(2);
  if (args.includes('--help') || name === '--help' || name === '-h') {
    process.stdout.write(usage);
    return 0;
  }
  const command = commands.find((known) => known === name);
  if (command === undefined) {
    process.stderr.write(`try: expected one of ${commands.join(', ')}, found ${name ?? 'nothing'}\n\n${usage}`);
    return 2;
  }
  const loaded: { readonly run: TryCommand } = await import(`./try/${command}.ts`);
  return loaded.run(args);
}

process.exitCode = await main();
