import { readFileSync } from 'node:fs';
import path from 'node:path';
import { attachment } from '../../../core/download/file-name.ts';
import { decodeMetadata, encodeMetadata } from '../../../core/store/body-metadata.ts';
import { passesGates, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { statusTool } from '../../fakes/people-app.ts';

const { rows } = JSON.parse(
  readFileSync(path.join(__dirname, '../../fixtures/cases/metadata-values.json'), 'utf8'),
) as { rows: string[] };
const facts = (change: object) => ({
  tools: ['service_status'],
  runId: 'r'.repeat(32),
  turn: 1,
  index: 0,
  availableUntil: '2026-12-30T00:00:00Z',
  format: 1,
  contentType: 'application/json',
  ...change,
});

test.each(rows.map((row) => [row.slice(0, 20), row] as const))(
  '%j as a file name: ASCII, under 2 KB, and back again',
  (_, value) => {
    const metadata = encodeMetadata(facts({ fileName: value }));
    const text = Object.entries(metadata).flat().join('');
    expect(text).toMatch(/^[\x21-\x7e]*$/);
    expect(Buffer.byteLength(text)).toBeLessThan(2_048);
    const back = decodeMetadata(metadata, 'application/json')?.fileName ?? '';
    if (value.length < 100) expect(back).toBe(value);
    else expect(value.startsWith(back)).toBe(true);
    expect(attachment(back)).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\x21-\x7e]+$/);
  },
);

test('gates that find no room close the object instead of being forgotten', () => {
  const tools = Array.from({ length: 40 }, (_, n) => ({
    ...statusTool,
    name: `a_tool_with_a_long_name_${n}`,
    roles: [`role-${n}`],
  }));
  const kept = decodeMetadata(encodeMetadata(facts({ tools: tools.map(({ name }) => name) })), 'x')?.tools ?? [];
  expect(kept.length).toBeLessThan(40);
  // All roles but that of the last tool, whose name was cut off.
  const roles = tools.slice(0, 39).map(({ roles: [role = ''] }) => role);
  expect(passesGates(toolCatalogue(tools), kept, roles)).toBe(false);
});
