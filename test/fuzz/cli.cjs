// npm run test:fuzz -- --runs 10000 --seed 42: the fuzz test with another number of requests, or with the seed that a
// failure has printed.
const { spawnSync } = require('node:child_process');
const { parseArgs } = require('node:util');

const { values } = parseArgs({ options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string' } } });
const variables = {
  FUZZ_RUNS: values.runs,
  ...(values.seed !== undefined && { FUZZ_SEED: values.seed }),
  NODE_OPTIONS: '--experimental-vm-modules',
};
const { status } = spawnSync('jest', ['--selectProjects', 'scenarios', '--', 'test/e2e/scenarios/fuzz.spec.ts'], {
  stdio: 'inherit',
  env: { ...process.env, ...variables },
});
process.exit(status ?? 1);
