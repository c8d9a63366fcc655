// One transform for every suite; the suites differ only in where their tests live and what they may start.
const swc = [
  '@swc/jest',
  { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
];
// These packages are ES modules only.
const modulesOnly = 'node_modules/(openid-client|oauth4webapi|jose)/';
const transform = { '^.+\\.ts$': swc, [`${modulesOnly}.+\\.js$`]: swc };
const suite = (name, extra = {}) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist', '<rootDir>/.local'],
  transform,
  transformIgnorePatterns: [`/node_modules/(?!${modulesOnly.slice('node_modules/'.length)})`],
  ...extra,
});
// All end-to-end tests share one start of the local platform.
const onPlatform = {
  globalSetup: '<rootDir>/test/e2e/start-platform.ts',
  globalTeardown: '<rootDir>/test/e2e/stop-platform.ts',
};
export default {
  // Real servers and property tests on a busy machine of two cores: what hangs still fails, what is slow does not.
  testTimeout: 60_000,
  projects: [suite('unit'), suite('stacks'), suite('integration'), suite('e2e', onPlatform)],
};
