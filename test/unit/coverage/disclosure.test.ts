import type { Coverage } from '../../../core/coverage/coverage.ts';
import { type Build, completenessChecks } from './completeness-checks.ts';

const computePath = '../../../core/coverage/compute.ts';

function load(): Build {
  return {
    compute: require(computePath),
    identity: require('../../../core/coverage/identity.ts'),
    declared: require('../../../core/coverage/declared-identity.ts'),
    scanner: require('../../../core/scan/result-scanner.ts'),
  };
}

/** What software without disclosure says: what it gave is all there is. */
function silent(coverage: Coverage): Coverage {
  return {
    unit: coverage.unit,
    requested: coverage.loaded,
    loaded: coverage.loaded,
    total: coverage.loaded,
    offset: coverage.offset,
    next_offset: null,
    byte_complete: true,
    filtered_count: 0,
    selection_complete: true,
    input_complete: true,
    reasons: [],
  };
}

/** The same product with the disclosure switched off, in this test only: one module is replaced. */
function undisclosedBuild(): Build {
  let build: Build | undefined;
  jest.isolateModules(() => {
    jest.doMock(computePath, () => {
      const real = jest.requireActual<Build['compute']>(computePath);
      return {
        previewCoverage: (facts: never) => silent(real.previewCoverage(facts)),
        readCoverage: (facts: never) => silent(real.readCoverage(facts)),
        notStored: (facts: never) => silent(real.notStored(facts)),
      };
    });
    build = load();
  });
  jest.dontMock(computePath);
  return build as Build;
}

test.each(completenessChecks)('$name', async ({ holds }) => {
  expect(await holds(load())).toBe(true);
});

test('with the disclosure switched off, at least six of the eight checks fail', async () => {
  const build = undisclosedBuild();
  const held = await Promise.all(completenessChecks.map(({ holds }) => holds(build)));
  expect(held).toHaveLength(8);
  expect(held.filter((each) => !each).length).toBeGreaterThanOrEqual(6);
});
