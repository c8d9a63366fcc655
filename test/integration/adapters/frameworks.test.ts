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

/** Of the one image that the scenarios have. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';

interface Sent {
  readonly last: string;
  readonly bytes: number;
  readonly sizes: readonly number[];
  readonly stored: number;
  readonly requests: number;
  /** Uploads that were on their way at once, at most. */
  readonly most: number;
}
interface Facts
  extends Readonly<
    Record<
      | 'small'
      | 'noContext'
      | 'failing'
      | 'error'
      | 'errorNoContext'
      | 'sameId'
      | 'parallel'
      | 'repeat'
      | 'overflow'
      | 'notRead'
      | 'dense'
      | 'analysis'
      | 'notAnalysed'
      | 'picture'
      | 'guardedPicture',
      Sent
    >
  > {
  /** Bytes of the files beside the picture, in base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly executed: number;
  readonly overflows: number;
}

describe.each(['strands', 'langchain', 'deepagents', 'ai-sdk'])('%s', (name) => {
  let facts: Facts;
  beforeAll(async () => {
    const out = await run('test/integration/adapters/scenarios.ts', name);
    facts = JSON.parse(out.slice(out.indexOf('{')));
  });

  it('the example: 5 MB on one line become a preview, and the model’s own tool reads the last record', async () => {
    const out = await run(`examples/${name}.ts`);
    const example = JSON.parse(out);
    process.stdout.write(
      `${name}: ${example.resultBytes} bytes of result, context of ${example.contextBytesBefore} bytes before, ${example.contextBytes} after\n`,
    );
    expect(example.resultBytes).toBeGreaterThan(5_000_000);
    expect(example.contextBytesBefore).toBeGreaterThan(5_000_000);
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

  it('a failed call’s words are bounded, whoever asks', () => {
    for (const sent of [facts.error, facts.errorNoContext]) {
      expect(sent.bytes).toBeLessThan(40_000);
      expect(sent.last).toMatch(/\d+ of 4000\d\d bytes shown/);
    }
  });

  it('a tool-use id that comes again does not collide: the first result is read back to its last record', () => {
    expect(facts.sameId.stored).toBe(2);
    expect(facts.sameId.last).toMatch(/"id":4999,"page":1,/);
  });

  it('$& in data is data: it comes back as it was, in the preview and from the last record', () => {
    expect(facts.failing.last).toContain(`"price":"$& $' $1"`);
    expect(facts.sameId.last).toMatch(/"id":4999,"page":1,"price":"\$& \$' \$1","note":"the last one"/);
  });

  it('200 results in one message are not 200 writes in flight: all are kept, four at a time', () => {
    expect(facts.parallel.stored).toBe(200);
    expect(facts.parallel.most).toBeGreaterThan(name === 'strands' ? 0 : 1);
    expect(facts.parallel.most).toBeLessThanOrEqual(4);
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

  it('with an engine the model computes over every record; a reference that is not its own is refused like any', () => {
    expect(facts.analysis.last).toContain('"rows":[[1,4999]]');
    expect(facts.analysis.last).toContain('"total":5000');
    expect(facts.notAnalysed.last).toContain('NotFound: ref: this run holds no such result');
  });

  it('a refused read is an error, never text that looks like content', () => {
    expect(facts.notRead.last).toContain('NotFound: ref: this run holds no such result');
  });

  it('an image beside a result that is kept, or that the guard takes out, stays where the model sees it', () => {
    expect(facts.picture.stored).toBe(1);
    for (const sent of [facts.picture, facts.guardedPicture]) {
      // Once as an image, and not as a text that holds it.
      expect(sent.last.split(pixel).length - 1).toBeGreaterThanOrEqual(1);
      expect(sent.last).toMatch(/"ref"|full result stored: ref/);
    }
    expect(facts.picture.last.length).toBeLessThan(40_000);
    expect(facts.picture.last.split(pixel)).toHaveLength(2);
    if (name === 'langchain') expect(facts.picture.last).toContain('"artifact":{"of":"the application"}');
  });

  it('so do documents, sounds and other files, each once and as what it is', () => {
    for (const [file, bytes] of Object.entries(facts.files)) {
      expect([file, facts.picture.last.split(bytes).length]).toEqual([file, 2]);
      expect([file, facts.guardedPicture.last.includes(bytes)]).toEqual([file, true]);
    }
  });

  it('Chinese and base64 are not under-counted: the guard acts, and what was small is stored before it is replaced', () => {
    // By four characters a token all of it would have fitted: 15,000 tokens of 29,000.
    expect(facts.dense.last).toContain('[full result stored: ref');
    expect(facts.dense.stored).toBeGreaterThan(0);
  });
});

it('a tool that asks a person (`interrupt`) has not failed: the question arrives whole, however long it is', async () => {
  expect(JSON.parse(await run('test/integration/adapters/interrupt.ts'))).toEqual({ asked: [true] });
});

describe('deepagents', () => {
  interface Deep {
    readonly stored: number;
    readonly evicted: readonly string[];
    readonly sizes: readonly number[];
    readonly last: string;
    readonly helper: readonly number[];
  }
  let facts: Readonly<
    Record<'alone' | 'big' | 'read' | 'ownFile' | 'delegated' | 'longAnswer' | 'summarised', Deep>
  > & {
    readonly summaries: number;
  };
  beforeAll(async () => {
    facts = JSON.parse(await run('test/integration/adapters/deepagents.ts'));
  });

  it('its own eviction finds nothing left to take out: one copy, with totals, and no file of the agent', () => {
    expect(facts.alone).toMatchObject({ stored: 0, evicted: ['/large_tool_results/use-1.txt'] });
    expect(facts.big).toMatchObject({ stored: 1, evicted: [] });
    expect(facts.big.last).toContain('"records":5000');
  });

  it('a read as large as a read may be is answered, not evicted into a file', () => {
    const read = JSON.parse(facts.read.last) as { coverage: { loaded: number; next_offset: number } };
    expect(facts.read).toMatchObject({ stored: 1, evicted: [] });
    expect(facts.read.sizes[1]).toBeGreaterThan(60_000);
    expect(facts.read.sizes[1]).toBeLessThanOrEqual(80_000);
    expect(read.coverage.next_offset).toBe(read.coverage.loaded);
  });

  it('what the agent reads of its own files is not stored once more', () => {
    expect(facts.ownFile.stored).toBe(0);
    expect(facts.ownFile.sizes[1]).toBeGreaterThan(24 * 1024);
    expect(facts.ownFile.last).toContain('line 899 of a file');
  });

  it('a sub-agent with the middleware reads to the last record, in a context that stays small', () => {
    expect(facts.delegated).toMatchObject({ stored: 1, evicted: [], last: 'found: the last one' });
    expect(Math.max(...facts.delegated.helper)).toBeLessThan(40_000);
  });

  it('after deepagents has summarised the conversation, what is stored is found and read to its last record', () => {
    expect(facts.summaries).toBe(1);
    expect(facts.summarised).toMatchObject({ stored: 34, evicted: [] });
    expect(facts.summarised.last).toContain('"id":4999,"note":"the last one"');
  });

  it('an answer that comes as a command is bounded and kept like any other', () => {
    expect(facts.longAnswer.stored).toBe(1);
    expect(facts.longAnswer.sizes[0]).toBeLessThan(32 * 1024);
    expect(facts.longAnswer.last).toContain('data_reference');
  });
});
