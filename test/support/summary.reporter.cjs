const { relative } = require('node:path');
const { stripVTControlCharacters } = require('node:util');

const NEEDS = /\(needs (.+)\)$/;
const MESSAGE_CHARACTERS = 500;

/** How many of the slowest files are shown. */
const SLOWEST = Number(process.env.SLOWEST ?? 0);

/**
 * Prints the run's counts in one plain line, for machines to read, a line for each failure, why tests were skipped, and
 * before them the slowest files, where SLOWEST says how many.
 */
module.exports = class SummaryReporter {
  onRunComplete(
    _contexts,
    { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, testResults },
  ) {
    for (const line of slowest(testResults)) process.stdout.write(`${line}\n`);
    const skipped = numPendingTests === 0 ? '' : `, ${numPendingTests} skipped`;
    process.stdout.write(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}\n`);
    for (const failure of failures(testResults)) process.stdout.write(`FAILED ${failure}\n`);
    for (const [program, count] of missing(testResults))
      process.stdout.write(`${program} is not installed: ${count} tests skipped\n`);
  }
};

/** Seconds and names of the files that took longest. */
function slowest(files) {
  const seconds = ({ perfStats: { start, end } }) => ((end - start) / 1000).toFixed(1).padStart(6);
  return files
    .toSorted((a, b) => b.perfStats.end - b.perfStats.start - (a.perfStats.end - a.perfStats.start))
    .slice(0, SLOWEST)
    .map((file) => `${seconds(file)} s ${relative(process.cwd(), file.testFilePath)}`);
}

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
