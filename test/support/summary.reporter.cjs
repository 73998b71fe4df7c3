const { relative } = require('node:path');
const { stripVTControlCharacters } = require('node:util');

const NEEDS = /\(needs (.+)\)$/;
const MESSAGE_CHARACTERS = 500;

/**
 * Prints the run's counts in one plain line, for machines to read, a line for each failure, and why tests were skipped.
 */
module.exports = class SummaryReporter {
  onRunComplete(
    _contexts,
    { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, testResults },
  ) {
    const skipped = numPendingTests === 0 ? '' : `, ${numPendingTests} skipped`;
    process.stdout.write(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}\n`);
    for (const failure of failures(testResults)) process.stdout.write(`FAILED ${failure}\n`);
    for (const [program, count] of missing(testResults))
      process.stdout.write(`${program} is not installed: ${count} tests skipped\n`);
  }
};

/** File, test and the first lines of the message of each failure, in one line. */
function failures(files) {
  return files.flatMap(({ testFilePath, testExecError, testResults }) =>
    [
      ...(testExecError == null ? [] : [{ fullName: 'the file', failureMessages: [String(testExecError.message)] }]),
      ...testResults.filter(({ status }) => status === 'failed'),
    ].map(
      ({ fullName, failureMessages }) =>
        `${relative(process.cwd(), testFilePath)}, ${fullName}: ${plain(failureMessages.join(' '))}`,
    ),
  );
}

function plain(message) {
  return stripVTControlCharacters(message).replace(/\s+/g, ' ').slice(0, MESSAGE_CHARACTERS);
}

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
