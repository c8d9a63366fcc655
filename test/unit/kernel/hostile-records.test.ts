import { RecordKernel } from '../../../core/kernel/record-kernel.ts';
import { Column } from '../../../core/profile/column.ts';
import { ProfileBuilder } from '../../../core/profile/profile-builder.ts';
import { hashBytes, lanes } from '../../../core/profile/value-hash.ts';
import { ResultScanner, type ScanOptions } from '../../../core/scan/result-scanner.ts';
import type { ScanSummary } from '../../../core/scan/scan-summary.ts';
import { column } from '../profile/profile-of.ts';

const options: ScanOptions = { previewBytes: 40, detectBytes: 16, profile: true };
const bytesOf = (records: readonly string[]) => new Uint8Array(Buffer.from(`[${records.join(',')}]`));

/** In pieces of 64 KiB, the first of them shorter, so that chunks end inside pieces. */
function scan(body: Uint8Array, first = 61_440): ScanSummary {
  const scanner = new ResultScanner(options);
  scanner.write(body.subarray(0, first));
  for (let at = first; at < body.length; at += 65_536) scanner.write(body.subarray(at, at + 65_536));
  return scanner.end();
}

/** How often the kernel was asked, and how many columns it took in for that, all calls together. */
function asked(body: Uint8Array): { readonly calls: number; readonly taken: number; readonly summary: ScanSummary } {
  let calls = 0;
  let taken = 0;
  const plain = RecordKernel.prototype.read;
  const spy = jest.spyOn(RecordKernel.prototype, 'read').mockImplementation(function (this: RecordKernel, ...args) {
    const stopped = plain.apply(this, args);
    calls += 1;
    taken += this.columnsTaken;
    return stopped;
  });
  try {
    return { summary: scan(body), calls, taken };
  } finally {
    spy.mockRestore();
  }
}

describe('records that are made to cost', () => {
  const wide = `{${Array.from({ length: 510 }, (_, i) => `"k${i}":1`).join(',')}}`;

  test('white space before one that is not ordinary does not make it tried again', () => {
    // A key comes twice, and the second time at the end.
    const twice = `${' '.repeat(4000)}{"a":1,"s":"${'x'.repeat(50_000)}","a":2}`;
    const records = Array.from({ length: 100 }, (_, i) => (i % 2 ? twice : '{"a":1,"s":""}'));
    const { calls, summary } = asked(bytesOf(records));
    expect(summary.records).toBe(100);
    expect(calls).toBeLessThan(300);
  });

  test('a key spelled otherwise in turns does not make all columns taken in each time', () => {
    const turns = Array.from({ length: 40_000 }, (_, i) => (i % 2 ? '{"a":1},{},{}' : '{"\\u0061":1},{},{}'));
    const body = bytesOf([wide, '{"a":1}', ...turns]);
    const { taken, summary } = asked(body);
    expect(column(summary.profile as NonNullable<ScanSummary['profile']>, 'a').types).toEqual({ integer: 40_001 });
    // A column taken in costs as much as reading sixteen bytes.
    expect(taken * 16).toBeLessThan(body.length / 2);
  });

  test('short records of many columns are not read in runs of one', () => {
    const body = bytesOf([wide, ...Array.from({ length: 60_000 }, (_, i) => (i % 2 ? '{}' : '{"k1":1,"k1":1}'))]);
    const { calls, summary } = asked(body);
    expect(summary.records).toBe(60_001);
    expect(calls * 510 * 0.25).toBeLessThan(body.length / 2);
  });

  test('values that share a slot of the counter are told apart all the same, by estimate', () => {
    const values: string[] = [];
    for (let i = 0; values.length < 600; i += 1) {
      const text = Buffer.from(i.toString(36));
      hashBytes(text, 0, text.length, 0);
      if (((lanes.hash1 >>> 16) & 2047) === 77) values.push(`{"v":"${text}"}`);
    }
    const { distinct, distinct_exact } = column(
      scan(bytesOf([...values, ...values, ...values])).profile as NonNullable<ScanSummary['profile']>,
      'v',
    );
    expect(distinct_exact).toBe(false);
    expect(Math.abs(distinct - 600)).toBeLessThan(6);
  });
});

describe('the kernel', () => {
  const records = Array.from({ length: 20_000 }, (_, i) => `{"id":${i},"v":"${i % 7}"}`);

  test('starts anew after a run that threw, however often', () => {
    const body = bytesOf(records);
    const before = scan(body);
    const spy = jest.spyOn(Column.prototype, 'commitRun').mockImplementation(() => {
      throw new Error('no room');
    });
    const builder = new ProfileBuilder({ format: 'json' });
    const piece = body.subarray(1, 60_000);
    const second = piece.indexOf(0x7d) + 2;
    try {
      builder.record(piece, 0, second - 1);
      const run = () => builder.run(piece, 0, second, piece.length, piece.length, false);
      // What a run noted and nobody counted must not stay: in the end it would lie where other values belong.
      for (let turn = 0; turn < 300; turn += 1) expect(run).toThrow('no room');
    } finally {
      spy.mockRestore();
    }
    expect(scan(body)).toEqual(before);
  });

  test('keeps no columns of a profile that is made', () => {
    const released = jest.spyOn(RecordKernel.prototype, 'release');
    scan(bytesOf(records));
    expect(released).toHaveBeenCalledTimes(1);
    released.mockRestore();
  });
});
