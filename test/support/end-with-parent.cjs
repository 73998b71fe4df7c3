// Loaded into every service under test. Its standard input is held open by the process that started it, and the service
// ends with it.
// A line is a number of milliseconds by which the wall clock goes forward.
const CLOCK_MOVED = 'The clock has moved.\n';

process.stdin
  .on('end', () => process.kill(process.pid, 'SIGKILL'))
  .on('data', (line) => {
    const now = Date.now;
    Date.now = () => now() + Number(line);
    process.stderr.write(CLOCK_MOVED);
  })
  .unref();
