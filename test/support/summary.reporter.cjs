const NEEDS = /\(needs (.+)\)$/;

/** Prints the run's counts in one plain line, for machines to read, and why tests were skipped. */
module.exports = class SummaryReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, testResults }) {
    const skipped = numPendingTests === 0 ? '' : `, ${numPendingTests} skipped`;
    process.stdout.write(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}\n`);
    for (const [program, count] of missing(testResults)) process.stdout.write(`${program} is not installed: ${count} tests skipped\n`);
  }
};

/** How many tests were skipped for want of each program. */
function missing(files) {
  const counts = new Map();
  const skipped = files.flatMap(({ testResults }) => testResults).filter(({ status }) => status === 'pending');
  for (const { ancestorTitles } of skipped) {
    const program = ancestorTitles.map((title) => NEEDS.exec(title)?.[1]).find((name) => name !== undefined);
    if (program !== undefined) counts.set(program, (counts.get(program) ?? 0) + 1);
  }
  return counts;
}
