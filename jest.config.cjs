const { join } = require('node:path');

// Node keeps compiled code here: of jest, and of the programs under test, which start often.
process.env.NODE_COMPILE_CACHE ??= join(__dirname, 'node_modules/.cache/compiled');

/** Settings of all projects: TypeScript through ts-jest, without the data folder. */
const shared = {
  rootDir: '.',
  // The build has another package.json.
  roots: ['<rootDir>/src', '<rootDir>/test'],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  modulePathIgnorePatterns: ['<rootDir>/.local'],
  // A test finds a global only after a slow look through its context: these are parameters of each module instead.
  sandboxInjectedGlobals: [
    'Array',
    'BigInt',
    'Float64Array',
    'JSON',
    'Map',
    'Math',
    'Number',
    'Object',
    'Set',
    'String',
  ],
  transform: { '\\.tsx?$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.jest.json' }] },
};

const END_AFTER_TESTS = '<rootDir>/test/support/end-after-tests.ts';

/** Tests on a service and a database for each worker, which the global setup prepares. */
const onServices = {
  setupFilesAfterEnv: [END_AFTER_TESTS],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** One pass through the page, which the first ring has too. */
const PAGE_JOURNEY = '<rootDir>/test/browser/journey.spec.ts';

const specsOf = (folder) => `<rootDir>/test/${folder}/**/*.spec.ts`;

module.exports = {
  testTimeout: 120_000,
  maxWorkers: 2,
  // A worker in which nothing is open still needs up to a second to give its memory back on a busy machine; after the
  // usual 0.5 s it would be called a leak.
  workerGracefulExitTimeout: 10_000,
  reporters: ['default', '<rootDir>/test/support/summary.reporter.cjs'],
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    // Ring 1, with the unit tests: `npm test`.
    {
      ...shared,
      ...onServices,
      displayName: 'api',
      testMatch: [...['contract', 'conventions', 'e2e/api', 'e2e/journeys', 'e2e/money'].map(specsOf), PAGE_JOURNEY],
    },
    // Ring 2: what waits, restarts, measures or needs a browser.
    {
      ...shared,
      ...onServices,
      displayName: 'scenarios',
      testMatch: ['browser', 'deploy', 'e2e/scenarios'].map(specsOf),
      testPathIgnorePatterns: ['/node_modules/', PAGE_JOURNEY],
    },
    // Ring 3: starts every program itself.
    { ...shared, displayName: 'cluster', testMatch: [specsOf('cluster')], setupFilesAfterEnv: [END_AFTER_TESTS] },
  ],
};
