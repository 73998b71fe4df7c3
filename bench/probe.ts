import { Session, type Profiler } from 'node:inspector';

/** Loaded into the service before itself (`--require`) in profiled and soaked runs only: answers questions about its heap and its time. */
const session = new Session();
session.connect();

process.on('message', (question: 'heap' | 'profile-start' | 'profile-stop') => {
  if (question === 'heap') {
    // There with --expose-gc.
    (globalThis as { gc?: () => void }).gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ heap: heapUsed, held: heapUsed + external });
  } else if (question === 'profile-start') {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: 500 });
    session.post('Profiler.start', () => process.send?.({ started: true }));
  } else {
    session.post('Profiler.stop', (_error: Error | null, { profile }: Profiler.StopReturnType) => process.send?.({ profile }));
  }
});
// The channel must not keep a stopping service alive.
process.channel?.unref();
