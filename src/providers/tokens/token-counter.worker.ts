import { parentPort } from 'node:worker_threads';
import { countTokens } from './token-count';

// A thread of its own: a long text takes seconds, in which nobody else would be served.
parentPort?.on('message', (text: string) => parentPort?.postMessage(countTokens(text)));
