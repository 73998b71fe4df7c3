import { doTask } from './threaded-checks';

// A separate thread: a pattern may take seconds, in which no other request would be served.
module.exports = doTask;
