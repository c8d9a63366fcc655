import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../lib/bundling.ts';
import { configSchema } from '../lib/config.ts';
import { settingsTable } from '../lib/setting.ts';

// Writes docs/settings.md from the schema; a stack test holds the page to it.
const cell = (text: string) => text.replaceAll('|', '\\|');
const rows = settingsTable(configSchema).map(
  ({ path: name, unit, standard, says }) => `| \`${name}\` | ${cell(unit)} | \`${cell(standard)}\` | ${cell(says)} |`,
);
const page = `# Settings

Set by CDK context, \`-c claimcheck.storage.retentionDays=14\`, or as an object \`claimcheck\` in \`cdk.json\`. Lists and
objects are JSON. An unknown name or a bad value fails the synthesis with the field's name. Rules between fields are in
\`lib/config-rules.ts\`. This page is written by \`npm run settings\`.

| setting | unit | default | what it is |
| ------- | ---- | ------- | ---------- |
${rows.join('\n')}
`;
writeFileSync(path.join(projectRoot, 'docs/settings.md'), page);
process.stdout.write(`docs/settings.md: ${rows.length} settings\n`);
