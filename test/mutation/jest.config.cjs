const { GROUPS } = require('./groups.cjs');

module.exports = {
  rootDir: '../..',
  roots: ['<rootDir>/src'],
  testMatch: GROUPS[process.env.MUTATION_GROUP].tests.map((pattern) => `<rootDir>/${pattern}`),
  setupFiles: ['<rootDir>/test/mutation/steady.cjs'],
  testTimeout: 60_000,
  transform: { '\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false }] },
};
