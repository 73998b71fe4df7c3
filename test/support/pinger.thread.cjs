// A thread that sends small requests to the service without a pause, and reports the longest wait since the last
// report.
const { Agent, get } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;
let count = 0;
let failure;
let isOver = false;
let sent = 0;

function ask(path) {
  return new Promise((resolve, reject) => {
    const key = workerData.keys[sent++ % workerData.keys.length];
    get(workerData.url + path, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`)),
      );
    }).on('error', reject);
  });
}

async function run() {
  while (!isOver) {
    for (const path of workerData.paths) {
      const begun = performance.now();
      await ask(path);
      longestMs = Math.max(longestMs, performance.now() - begun);
      count += 1;
    }
    // The service is to be found waiting, not busy with this thread.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

parentPort.on('message', (message) => {
  if (message === 'stop') {
    isOver = true;
    agent.destroy();
    parentPort.close();
    return;
  }
  parentPort.postMessage({ longestMs, count, failure });
  longestMs = 0;
  count = 0;
});
run().catch((error) => {
  if (!isOver) failure = String(error);
});
