import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Piscina } from 'piscina';
import { Clock } from '../../common/clock';
import { BusyError, FairTurns } from './fair-turns';

type PiscinaLoadBalancer = NonNullable<Piscina['options']['loadBalancer']>;
type PiscinaWorker = Parameters<PiscinaLoadBalancer>[1][number];

/** A task for a thread: the file whose `run` does it with an input. */
export interface ThreadTask {
  file: string;
  input: unknown;
  /** The first input of a thread for this file: it loads tables, which counts for no deadline. */
  warmUp: unknown;
  /** The thread ends with a task that takes longer. */
  timeoutMs: number;
  /** The longest wait for a turn; any by default. */
  maxWaitMs?: number;
  /** Is increased by the time that the task took. */
  meter?: { usedMs: number };
}

/** A task has no result. */
export class TaskError extends Error {
  constructor(
    readonly reason: 'busy' | 'stopping' | 'timeout' | 'memory' | 'failed',
    options?: ErrorOptions,
  ) {
    super(`A task of the thread pool has no result: ${reason}.`, options);
  }
}

/** One for the tokenizer and one for everything else, and both for tasks of two users. */
const MAX_THREADS = 2;
const MAX_WAITING_OF_SHARE = 1000;
/** Longer than a thread takes to start on a busy machine. */
const START_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

/**
 * The threads for work that takes long, which would hold up all other requests on the event loop: checks, token counts
 * and comparisons of answers.
 * They start with the first task and end after a minute without one. Each user has a share: the tasks of one never
 * delay those of another by more than one task.
 */
@Injectable()
export class ThreadPoolService implements OnApplicationShutdown {
  private readonly log = new Logger(ThreadPoolService.name);
  private readonly turns: FairTurns;
  /** The threads that have done something, by id, and the files they have loaded. */
  private readonly threads = new Map<number, { worker: PiscinaWorker; files: Set<string> }>();
  private pool: Promise<Piscina> | undefined;
  private isStopping = false;

  constructor(private readonly clock: Clock) {
    this.turns = new FairTurns(clock, { maxRunning: MAX_THREADS, maxWaitingOfShare: MAX_WAITING_OF_SHARE });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await (await this.pool)?.destroy();
  }

  /** Threads that exist. */
  async threadCount(): Promise<number> {
    return (await this.pool)?.threads.length ?? 0;
  }

  /** Does a task of a share, such as a user's, when it is its turn. @throws TaskError */
  async run<T>(share: string, task: ThreadTask): Promise<T> {
    try {
      return await this.turns.run(share, () => this.attempt<T>(task, true), task.maxWaitMs);
    } catch (error) {
      if (error instanceof BusyError) throw new TaskError('busy', { cause: error });
      throw error;
    }
  }

  /** An earlier task may have left too much in the thread's memory for this one: tries once more in a new thread. */
  private async attempt<T>(task: ThreadTask, mayRetry: boolean): Promise<T> {
    const abort = new AbortController();
    try {
      if (this.isStopping) throw new TaskError('stopping');
      const pool = await (this.pool ??= this.newPool());
      while (!this.isLoaded(task.file))
        await pool.run(task.warmUp, { filename: task.file, signal: AbortSignal.timeout(START_TIMEOUT_MS) });
      return await this.timed(
        task,
        abort,
        () => pool.run(task.input, { filename: task.file, signal: abort.signal }) as Promise<T>,
      );
    } catch (error) {
      if (abort.signal.aborted) throw new TaskError('timeout', { cause: error });
      if (this.isStopping) throw new TaskError('stopping', { cause: error });
      if (!isOutOfMemory(error)) throw this.failure(error);
      if (!mayRetry) throw new TaskError('memory', { cause: error });
      return this.attempt(task, false);
    }
  }

  private failure(err: unknown): TaskError {
    this.log.error({ err }, 'a task of the thread pool failed');
    return new TaskError('failed', { cause: err });
  }

  private async timed<T>({ timeoutMs, meter }: ThreadTask, abort: AbortController, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const startedMs = this.clock.monotonicMs();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      if (meter !== undefined) meter.usedMs += this.clock.monotonicMs() - startedMs;
    }
  }

  private async newPool(): Promise<Piscina> {
    // Loaded with the first task, because a start needs no threads.
    const piscina = await import('piscina');
    const pool = new piscina.Piscina({
      name: 'run',
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      loadBalancer: this.threadFor,
      // Nothing of the process's own settings belongs where others' patterns and schemas run.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
    });
    pool.on('error', (err: unknown) => this.log.error({ err }, 'a thread of the pool failed'));
    return pool;
  }

  /** The idle thread that has loaded the file, else a new thread, else the idle one with the fewest files. */
  private readonly threadFor: PiscinaLoadBalancer = ({ filename }, workers) => {
    const idle = workers.filter(isIdle);
    const filesOf = ({ id }: PiscinaWorker) => this.threads.get(id)?.files ?? new Set<string>();
    const [emptiest] = idle.sort((left, right) => filesOf(left).size - filesOf(right).size);
    const other =
      workers.length === MAX_THREADS || (emptiest !== undefined && filesOf(emptiest).size === 0) ? emptiest : undefined;
    const chosen = idle.find((worker) => filesOf(worker).has(filename)) ?? other;
    if (chosen !== undefined) this.threads.set(chosen.id, { worker: chosen, files: filesOf(chosen).add(filename) });
    return chosen ?? null;
  };

  /** True if an idle thread has loaded the file. Forgets threads that have ended. */
  private isLoaded(file: string): boolean {
    for (const [id, { worker }] of this.threads) if (worker.destroyed) this.threads.delete(id);
    return [...this.threads.values()].some(({ worker, files }) => isIdle(worker) && files.has(file));
  }
}

function isIdle({ currentUsage }: PiscinaWorker): boolean {
  return currentUsage === 0;
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
