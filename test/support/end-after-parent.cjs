// Waits until the process that started it is gone, then ends another one: that of a pid, or of a file whose first line
// is a pid.
const { readFileSync } = require('node:fs');

const [, , target, signal] = process.argv;
process.stdin
  .on('end', () => {
    try {
      const pid = Number(/^\d+$/.test(target) ? target : readFileSync(target, 'utf8').split('\n')[0]);
      // A process that a test has stopped would not receive the signal.
      process.kill(pid, 'SIGCONT');
      process.kill(pid, signal);
    } catch {
      // It has ended already.
    }
  })
  .resume();
