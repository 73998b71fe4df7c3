// npm run test:mutation [-- GROUP…]: breaks the exact and the format code in every small way and counts what no test
// notices.
const { mkdirSync } = require('node:fs');
const { parseArgs } = require('node:util');
const { GROUPS } = require('./groups.cjs');

/** Percent of the mutants that must be noticed. */
const MIN_SCORE = 85;
const REPORTS = '.local/mutation';

function optionsOf(name, { mutate }, concurrency) {
  return {
    mutate,
    concurrency,
    testRunner: 'jest',
    testRunnerNodeArgs: ['--experimental-vm-modules'],
    jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.cjs' },
    coverageAnalysis: 'perTest',
    ignorePatterns: ['dist', '.local', 'migrations', 'bench', 'docs', 'test/{e2e,contract,conventions,fixtures,fuzz}'],
    tempDirName: `.local/stryker-${name}`,
    cleanTempDir: 'always',
    allowConsoleColors: false,
    logLevel: 'warn',
    reporters: ['clear-text', 'progress-append-only', 'json'],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false, allowColor: false },
    jsonReporter: { fileName: `${REPORTS}/${name}.json` },
    timeoutMS: 10_000,
    // Every run of jest leaves some megabytes behind.
    maxTestRunnerReuse: 80,
  };
}

/** Mutants that do not compile or are ignored count on neither side, as in StrykerJS. */
function figures(mutants) {
  const number = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [killed, timeout, survived, uncovered] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map((status) =>
    number(status),
  );
  const counted = killed + timeout + survived + uncovered;
  const score = counted === 0 ? 100 : (100 * (killed + timeout)) / counted;
  return {
    score: Math.floor(score * 100) / 100,
    killed,
    timeout,
    survived,
    'no test': uncovered,
    error: number('RuntimeError', 'CompileError'),
    ignored: number('Ignored'),
  };
}

function table(mutants) {
  const files = Map.groupBy(mutants, ({ fileName }) => fileName.replace(`${process.cwd()}/`, ''));
  console.table(Object.fromEntries([...files, ['all', mutants]].map(([file, own]) => [file, figures(own)])));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(GROUPS);
const unknown = names.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}.`);
  process.exit(2);
}

async function main() {
  const { Stryker } = await import('@stryker-mutator/core');
  mkdirSync(REPORTS, { recursive: true });
  const mutants = [];
  for (const name of names) {
    const begun = performance.now();
    process.env.MUTATION_GROUP = name;
    const found = await new Stryker(optionsOf(name, GROUPS[name], Number(values.concurrency))).runMutationTest();
    console.log(`${name}: ${found.length} mutants in ${Math.round((performance.now() - begun) / 1000)} s`);
    mutants.push(...found);
  }
  table(mutants);
  const { score } = figures(mutants);
  console.log(`Mutation score ${score} percent; ${MIN_SCORE} are needed.`);
  process.exit(score >= MIN_SCORE ? 0 : 1);
}

void main();
