import { doTask } from './threaded-checks';

// A thread of its own: a pattern may take seconds, in which nobody else would be served.
module.exports = doTask;
