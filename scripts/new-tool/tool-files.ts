/** The files of a new tool, by their paths: what a person then fills in. */
export function toolFiles(name: string): Readonly<Record<string, string>> {
  const folder = name.replaceAll('_', '-');
  const variable = variableOf(name);
  return {
    [`tools/${folder}/definition.ts`]: `import type { ToolDefinition } from '../../core/tool/tool-definition.ts';

export const ${variable}: ToolDefinition = {
  name: '${name}',
  version: '1',
  description: 'What the model is told: what comes back, in which fields, in which units.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  intake: 'wrapper',
  // Nobody, until it is said who. A role's name, or '*' for everybody who is signed in.
  roles: [],
  // 'once' for a tool with side effects: it is never executed twice for one call.
  retry: 'idempotent',
  budgetBytes: 24 * 1024,
  timeoutMs: 60_000,
  population: 'finite',
};
`,
    [`tools/${folder}/rows.ts`]: `/** The records of the tool, one by one: the whole is never held. */
export async function* rows(_input: Readonly<Record<string, unknown>>): AsyncGenerator<{ readonly id: number }> {
  yield { id: 1 };
}
`,
    [`tools/${folder}/handler.ts`]: `import { s3Client } from '../../aws/clients.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { storingTool } from '../../aws/storing-tool.ts';
import { readEnvironment } from '../../lambdas/environment.ts';
import { toolHandler } from '../../lambdas/tool-handler.ts';
import { ${variable} } from './definition.ts';
import { rows } from './rows.ts';

// biome-ignore lint/style/noProcessEnv: a function's own entry point reads its environment once.
const { bucket, settings } = readEnvironment(process.env, 'bucket');
const { storageMaxBytes = settings.storage.maxBytes, view } = ${variable};

export const handler = toolHandler(
  'tool-${folder}',
  storingTool((input) => rows(input), {
    store: new S3ResultStore(s3Client(), bucket),
    transportBytes: settings.transport.maxBytes,
    maxBytes: storageMaxBytes,
    ...(view === undefined ? {} : { view }),
  }),
);
`,
    [`test/unit/tools/${folder}.test.ts`]: `import { tools } from '../../../tools/catalogue.ts';
import { rows } from '../../../tools/${folder}/rows.ts';

it('is in the catalogue, with budget, roles and retry class', () => {
  const tool = tools.find('${name}');
  expect(tool).toMatchObject({ name: '${name}', budgetBytes: expect.any(Number), roles: expect.any(Array) });
});

it('makes its records, the last one included', async () => {
  const made: unknown[] = [];
  for await (const row of rows({})) made.push(row);
  expect(made.at(-1)).toEqual({ id: 1 });
});
`,
  };
}

/** The catalogue with the tool in it; undefined when its list is not where it was. */
export function addToCatalogue(source: string, name: string): string | undefined {
  const folder = name.replaceAll('_', '-');
  const variable = variableOf(name);
  const list = /export const deployedTools: readonly DeployedTool\[\] = \[\n/.exec(source);
  const imports = [...source.matchAll(/^import .* from '(\.\/.*)';\n/gm)];
  const lastImport = imports.at(-1);
  if (list === null || lastImport === undefined) return undefined;
  const end = source.indexOf('\n];\n', list.index);
  if (end < 0) return undefined;
  const entry = `\n  { definition: ${variable}, entry: 'tools/${folder}/handler.ts', memoryMb: 512, files: [], wrapper: true },`;
  const withEntry = source.slice(0, end) + entry + source.slice(end);
  // In the order of paths, which the lint rule asks for.
  const path = `./${folder}/definition.ts`;
  const at = imports.find((other) => (other[1] ?? '') > path)?.index ?? lastImport.index + lastImport[0].length;
  return `${withEntry.slice(0, at)}import { ${variable} } from '${path}';\n${withEntry.slice(at)}`;
}

function variableOf(name: string): string {
  return `${name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()).replaceAll('_', '')}Tool`;
}
