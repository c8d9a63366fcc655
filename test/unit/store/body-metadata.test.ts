import { readFileSync } from 'node:fs';
import { decodeMetadata, encodeMetadata } from '../../../core/store/body-metadata.ts';
import type { BodyMetadata } from '../../../core/store/result-store.ts';
import { gateOf } from '../../../core/tool/gate.ts';
import { passesGates, type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';

const { rows } = JSON.parse(readFileSync('test/fixtures/cases/metadata-values.json', 'utf8')) as { rows: string[] };
const metadata: BodyMetadata = {
  tools: ['service_status'],
  runId: 'a'.repeat(32),
  turn: 3,
  index: 1,
  availableUntil: '2026-12-30T00:00:00.000Z',
  format: 1,
  contentType: 'application/json',
  sha256: 'f'.repeat(64),
};
const size = (encoded: Record<string, string>) =>
  Object.entries(encoded).reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0);

it.each(rows.map((value) => [value.slice(0, 20), value]))('case H053: %j as name and as tool', (_name, value) => {
  for (const given of [
    { ...metadata, fileName: value },
    { ...metadata, tools: [value, 'b,c'] },
  ]) {
    const encoded = encodeMetadata(given);
    expect(size(encoded)).toBeLessThan(2_048);
    for (const [name, text] of Object.entries(encoded)) expect(name + text).toMatch(/^[\x21-\x7e]*$/);
    const decoded = decodeMetadata(encoded, 'application/json');
    // Short ones come back equal; what is too long comes back as its beginning.
    const back = given.fileName === undefined ? decoded?.tools[0] : decoded?.fileName;
    expect(back).toBe(value.length <= 200 ? value : value.slice(0, back?.length));
    expect(back?.length).toBeGreaterThan(0);
    expect(decoded).toMatchObject({ runId: metadata.runId, turn: 3, index: 1, sha256: metadata.sha256 });
  }
});

it('stays under the limit with everything at its longest', () => {
  const long = {
    ...metadata,
    fileName: '検'.repeat(2_000),
    tools: Array.from({ length: 100 }, (_, i) => `tool_${i}_検`),
  };
  expect(size(encodeMetadata(long))).toBeLessThan(2_048);
  expect(decodeMetadata(encodeMetadata(long), undefined)?.tools[0]).toBe('tool_0_検');
});

it('a lone surrogate does not stop an upload', () => {
  expect(decodeMetadata(encodeMetadata({ ...metadata, fileName: 'a\ud800b' }), 'x')?.fileName).toBe('a\ufffdb');
});

it('objects that we did not write have no metadata', () => {
  expect(decodeMetadata({}, 'text/plain')).toBeUndefined();
  expect(
    decodeMetadata({ 'cc-run': 'x', 'cc-turn': 'one', 'cc-index': '0', 'cc-until': 'y', 'cc-format': '1' }, 'x'),
  ).toBeUndefined();
});

describe('gates of many sources with long lists of fields', () => {
  const fields = (n: number, width: number) => Array.from({ length: n }, (_, at) => `${'f'.repeat(width)}_${at}`);
  const tools = (count: number, n: number) =>
    Array.from(
      { length: count },
      (_, at) =>
        ({
          name: `tool_${at}`,
          roles: ['*'],
          view: { clerk: fields(n, 6), more: ['more'], head: ['*'] },
        }) as unknown as ToolDefinition,
    );
  const held = (made: readonly ToolDefinition[], roles: readonly string[]) => {
    const encoded = encodeMetadata({
      ...metadata,
      tools: made.map((tool) => gateOf(tool, roles)),
      fileName: 'a'.repeat(900),
    });
    expect(size(encoded)).toBeLessThan(2_048);
    return decodeMetadata(encoded, 'x')?.tools ?? [];
  };

  it.each([
    [2, 30],
    [8, 30],
    [8, 80],
  ])('%d of %d fields open for whom they were stored and who keeps all, and for nobody with less', (count, n) => {
    const made = tools(count, n);
    const catalogue = toolCatalogue(made);
    for (const roles of [['clerk'], ['clerk', 'more']]) {
      const gates = held(made, roles);
      expect(gates).toHaveLength(count);
      for (const open of [roles, ['head'], ['clerk', 'head']]) expect(passesGates(catalogue, gates, open)).toBe(true);
      for (const closed of [['more'], [], ['other']]) expect(passesGates(catalogue, gates, closed)).toBe(false);
    }
    expect(passesGates(catalogue, held(made, ['clerk', 'more']), ['clerk'])).toBe(false);
  });

  it('only as many are told by digests as have to be', () => {
    const [long, short] = [
      ...tools(1, 29),
      { name: 'short', roles: ['*'], view: { clerk: ['a', 'b'] } } as unknown as ToolDefinition,
    ];
    const other = { ...(long as ToolDefinition), name: 'other' };
    const gates = held([short as ToolDefinition, long as ToolDefinition, other], ['clerk']);
    expect(gates[0]).toBe('short{a,b}');
    expect(gates.filter((gate) => gate.includes('{#'))).toHaveLength(1);
  });

  it('more than have room even so: closed to everybody, whole view or not', () => {
    const made = tools(40, 30);
    expect(passesGates(toolCatalogue(made), held(made, ['clerk']), ['head', 'clerk'])).toBe(false);
  });
});
