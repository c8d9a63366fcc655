import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

jest.setTimeout(120_000);
const root = join(import.meta.dirname, '../../..');

/** A process of its own: the packages are ES modules only, which the tests' transform does not load. */
async function run(file: string, ...rest: string[]): Promise<string> {
  const args = ['--import', 'tsx', file, ...rest];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

interface Sent {
  readonly last: string;
  readonly bytes: number;
  readonly sizes: readonly number[];
  readonly stored: number;
  readonly requests: number;
}
interface Facts
  extends Readonly<
    Record<'small' | 'noContext' | 'failing' | 'error' | 'sameId' | 'repeat' | 'overflow' | 'notRead' | 'dense', Sent>
  > {
  readonly executed: number;
  readonly overflows: number;
}

describe.each(['strands', 'langchain', 'ai-sdk'])('%s', (name) => {
  let facts: Facts;
  beforeAll(async () => {
    const out = await run('test/integration/adapters/scenarios.ts', name);
    facts = JSON.parse(out.slice(out.indexOf('{')));
  });

  it('the example: 5 MB become a preview, and the model’s own tool reads the last record', async () => {
    const out = await run(`examples/${name}.ts`);
    const example = JSON.parse(out);
    process.stdout.write(
      `${name}: ${example.resultBytes} bytes of result, ${example.contextBytes} bytes in the last request\n`,
    );
    expect(example.resultBytes).toBeGreaterThan(5_000_000);
    expect(example.contextBytes).toBeLessThan(40_000);
    expect(example.lastRecord).toContain('"id":41999');
    expect(example).toMatchObject({ replaced: 0, liveUnchanged: true });
  });

  it('the guard replaces what does not fit in copies; the live messages stay as they are', async () => {
    const example = JSON.parse(await run(`examples/${name}.ts`, '--pages', '4', '--window', '40000'));
    expect(example.replaced).toBeGreaterThan(0);
    // 39,000 tokens at about 1.84 bytes each are the most that may be sent.
    expect(example.contextBytes).toBeLessThan(39_000 * 1.84 + 20_000);
    expect(example.liveUnchanged).toBe(true);
    expect(example.lastRecord).toContain('"id":41999');
  });

  it('a small result passes as it is and is not stored', () => {
    expect(facts.small.last).toContain('a small answer');
    expect(facts.small.last).not.toContain('data_reference');
    expect(facts.small.stored).toBe(0);
  });

  it('without a request context nothing is stored, and the answer says that it is a part', () => {
    expect(facts.noContext.stored).toBe(0);
    expect(facts.noContext.last).toContain('of 5000 records shown; the rest was not kept');
  });

  it('a failed write keeps what fits, says so, and names no reference', () => {
    expect(facts.failing.last).toContain('of 5000 records shown; the rest was not kept (StorageUnavailable)');
    expect(facts.failing.last).toContain('"id":100,');
    expect(facts.failing.last).not.toContain('"ref"');
  });

  it('a failed call’s words are bounded', () => {
    expect(facts.error.bytes).toBeLessThan(40_000);
    expect(facts.error.last).toMatch(/\d+ of 4000\d\d bytes shown/);
  });

  it('a tool-use id that comes again does not collide: the first result is read back to its last record', () => {
    expect(facts.sameId.stored).toBe(2);
    expect(facts.sameId.last).toMatch(/"id":4999,"page":1,"price":"\$& \$' \$1","note":"the last one"/);
  });

  it('the same oversize call is executed once; the stored version answers the others', () => {
    expect(facts.executed).toBe(1);
    expect(facts.repeat.stored).toBe(1);
    expect(facts.repeat.last).toContain('Not executed again');
  });

  it('"too long" takes more out and asks once more', () => {
    expect(facts.overflows).toBe(1);
    expect(facts.overflow.requests).toBe(5);
    expect(facts.overflow.sizes[4]).toBeLessThan((facts.overflow.sizes[3] as number) * 0.7);
    expect(facts.overflow.last).toContain('[full result stored: ref');
  });

  it('a refused read is an error, never text that looks like content', () => {
    expect(facts.notRead.last).toContain('NotFound: ref: this run holds no such result');
  });

  it('Chinese and base64 are not under-counted: the guard acts, and what was small is stored before it is replaced', () => {
    // By four characters a token all of it would have fitted: 15,000 tokens of 29,000.
    expect(facts.dense.last).toContain('[full result stored: ref');
    expect(facts.dense.stored).toBeGreaterThan(0);
  });
});
