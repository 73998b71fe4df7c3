import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endAfterTests } from './cleanup';
import { startScript } from './start-script';

const ROOT = join(__dirname, '../..');
const MAIN = join(ROOT, 'dist/src/main.js');
/** Options of a program under test, by which it has the clock and the Stripe of a test. */
export const STAND_INS = ['--require', join(__dirname, 'stand-ins.cjs')];
/** The options of `npm start`, and those by which it also ends with the process that started it. */
export const END_WITH_PARENT = [
  ...startScript(MAIN).flags,
  ...STAND_INS,
  ...['--require', join(__dirname, 'end-with-parent.cjs')],
];
const READY = /ready at (http:\S+)/;
const CLOCK_MOVED = 'The clock has moved.';

/**
 * Variables of every program under test: the path of programs, and the folder of Node's compile cache, which saves a
 * third of each start.
 */
export const PROGRAM_VARIABLES = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

/** Secrets of the services under test; not secret at all. */
export const TEST_SECRETS = {
  ADMIN_API_KEY: 'test-operator-key-0123456789',
  API_KEY_PEPPER: 'test-pepper-0123456789abcdef',
};

/** The built service as a separate process. */
export interface ServiceProcess {
  url: string;
  /** Everything it has printed. */
  output(): string;
  child: ChildProcess;
  /** Asks it to stop and waits until it has, and until everything it has printed is read. Gives its exit code. */
  stop(): Promise<number | null>;
  /** Ends it without any warning, as a power cut would. */
  kill(): Promise<void>;
  /** Moves its wall clock forward; not those of its workers. */
  moveClock(ms: number): Promise<void>;
}

/**
 * Starts `dist/src/main.js`, or that of another build, with exactly these variables and waits until it is ready; its
 * log goes to a file where `stdout` is one. It ends with the test file at the latest.
 */
export async function startService(
  variables: Record<string, string>,
  main = MAIN,
  stdout: 'pipe' | number = 'pipe',
): Promise<ServiceProcess> {
  // Options of the command line win over NODE_OPTIONS, so the heap that a test sets has to follow ours there.
  const own = variables['NODE_OPTIONS']?.split(' ') ?? [];
  const child = spawn(process.execPath, [...END_WITH_PARENT, ...own, main], {
    cwd: ROOT,
    env: { ...PROGRAM_VARIABLES, NODE_ENV: 'test', PORT: '0', LOG_LEVEL: 'warn', ...TEST_SECRETS, ...variables },
    stdio: ['pipe', stdout, 'pipe'],
  });
  const lines: string[] = [];
  const clock = new EventEmitter();
  const exited = once(child, 'exit') as Promise<[number | null]>;
  // Later than its exit, when its output is read to the end.
  const closed = once(child, 'close') as Promise<[number | null]>;
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  endAfterTests(kill);
  const ready = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr].filter((one) => one !== null)) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const match = READY.exec(line);
        if (match?.[1] !== undefined) resolve(match[1]);
        if (line === CLOCK_MOVED) clock.emit('moved');
      });
    }
    void exited.then(([code]) =>
      reject(new Error(`The service ended with ${code} before it was ready:\n${lines.join('\n')}`)),
    );
  });
  const moveClock = async (ms: number) => {
    const moved = once(clock, 'moved');
    child.stdin?.write(`${ms}\n`);
    await moved;
  };
  const stop = async () => {
    child.kill('SIGTERM');
    return (await closed)[0];
  };
  const url = await ready;
  // Lines on the other stream may have come before, and are read in the same turn.
  await new Promise((resolve) => setImmediate(resolve));
  return { url, output: () => lines.join('\n'), child, stop, kill, moveClock };
}
