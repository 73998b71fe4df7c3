import { parentPort } from 'node:worker_threads';
import { countTokens } from './token-count';

// A separate thread: a long text takes seconds, in which no other request would be served.
parentPort?.on('message', (text: string) => parentPort?.postMessage(countTokens(text)));
