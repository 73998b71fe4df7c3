const { threadId } = require('node:worker_threads');

const kept = [];

/** A task of the tests of the thread pool: computes for a time, takes memory or fails, and returns its thread. */
exports.run = ({ spinMs = 0, megabytes = 0, fails = false } = {}) => {
  const end = performance.now() + spinMs;
  while (performance.now() < end);
  for (let count = 0; count < megabytes; count += 1) kept.push(new Array(131_072).fill(count + 0.5));
  if (fails) throw new Error('broken');
  return threadId;
};
