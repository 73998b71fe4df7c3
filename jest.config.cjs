/** What the projects share: TypeScript through ts-jest, and nothing of the data folder. */
const shared = {
  rootDir: '.',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  modulePathIgnorePatterns: ['<rootDir>/.local'],
  transform: { '\\.tsx?$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.jest.json' }] },
};

module.exports = {
  testTimeout: 120_000,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/test/support/summary.reporter.cjs'],
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/cluster/'],
      setupFilesAfterEnv: ['<rootDir>/test/support/end-after-tests.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
    // Not part of `npm test`: it starts every program itself, and takes minutes.
    { ...shared, displayName: 'cluster', testMatch: ['<rootDir>/test/cluster/**/*.spec.ts'], setupFilesAfterEnv: ['<rootDir>/test/support/end-after-tests.ts'] },
  ],
};
