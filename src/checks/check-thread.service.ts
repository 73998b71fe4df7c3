import { join } from 'node:path';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { Clock } from '../common/clock';
import { Config } from '../config/config';
import { SharedTime } from './shared-time';
import type { ThreadAnswer, ThreadTask } from './threaded-checks';

/** Why nothing could be said: the task itself took too much, or the thread had no time for it. */
export interface Undecided {
  undecided: string;
  isBusy?: true;
}

/** Tasks that were handed over together: they share a time in which they are begun, and thread time. */
interface Batch {
  usedMs: number;
  /** The error of waiting jobs once no job starts any longer. */
  ended?: Undecided;
}

interface Job extends PromiseWithResolvers<ThreadAnswer | Undecided> {
  task: ThreadTask;
  batch: Batch;
}

/** Multiples of CHECK_TIMEOUT_MS. */
const MAX_WAITING_TIMEOUTS = 10;
const MAX_USED_TIMEOUTS = 4;
/** To compile takes a bounded time, but a busy machine may take long for it, and nothing can be run without. */
const MAX_COMPILE_TIMEOUTS = 4;
/** Above this queue length, a user may have at most the jobs of one eval waiting. Users with few jobs are not refused for the jobs of others. */
const MAX_WAITING_JOBS = 20_000;
const MAX_OWN_JOBS = 4000;
/** Longer than a thread takes to start on a busy machine. */
const START_TIMEOUT_MS = 10_000;
const IDLE_MS = 30_000;

const BUSY: Undecided = { undecided: 'Too many checks were waiting.', isBusy: true };
const STOPPING: Undecided = { undecided: 'The service is stopping.', isBusy: true };

/**
 * One thread for what may take long: patterns, schemas and similarities. A task that takes longer than CHECK_TIMEOUT_MS is ended together with its thread;
 * the next one starts another. Users share the thread's time, so that what is slow for one delays the others by one task at most.
 */
@Injectable()
export class CheckThreadService implements OnApplicationShutdown {
  private readonly log = new Logger(CheckThreadService.name);
  private readonly waiting = new SharedTime<Job>();
  private pool: Piscina | undefined;
  private isWorking = false;
  private isStopping = false;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.pool?.destroy();
  }

  /** Threads that exist. */
  get threadCount(): number {
    return this.pool?.threads.length ?? 0;
  }

  /** Does the tasks of a user, one after the other, and gives their answers in the same order; nothing is thrown. */
  async run(userId: string, tasks: readonly ThreadTask[]): Promise<(ThreadAnswer | Undecided)[]> {
    if (tasks.length === 0) return [];
    if (this.isFullFor(userId, tasks.length)) return tasks.map(() => BUSY);
    const batch: Batch = { usedMs: 0 };
    const jobs = tasks.map((task): Job => ({ task, batch, ...Promise.withResolvers() }));
    for (const job of jobs) this.waiting.add(userId, job);
    const timer = setTimeout(() => {
      batch.ended ??= BUSY;
      // Jobs with an answer are unaffected.
      for (const job of jobs) job.resolve(BUSY);
    }, MAX_WAITING_TIMEOUTS * this.config.CHECK_TIMEOUT_MS);
    void this.work();
    try {
      return await Promise.all(jobs.map(({ promise }) => promise));
    } finally {
      clearTimeout(timer);
    }
  }

  private isFullFor(userId: string, more: number): boolean {
    return this.waiting.size + more > MAX_WAITING_JOBS && this.waiting.sizeOf(userId) + more > MAX_OWN_JOBS;
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    for (let next = this.waiting.take(); next !== undefined; next = this.waiting.take()) {
      const { batch, resolve } = next.job;
      const usedMs = batch.usedMs;
      resolve(batch.ended ?? await this.timed(next.job));
      this.waiting.finished(next.user, batch.usedMs - usedMs);
    }
    this.isWorking = false;
  }

  private async timed({ task, batch }: Job): Promise<ThreadAnswer | Undecided> {
    const answer = await this.attempt(task, batch, true);
    if (batch.usedMs > MAX_USED_TIMEOUTS * this.config.CHECK_TIMEOUT_MS) batch.ended ??= { undecided: 'It was not looked at, because the checks before it took too long.' };
    return answer;
  }

  /** An earlier task may have left too much in the thread's memory for this one: try once more in a new thread. */
  private async attempt(task: ThreadTask, batch: Batch, mayRetry: boolean): Promise<ThreadAnswer | Undecided> {
    if (this.isStopping) return STOPPING;
    const abort = new AbortController();
    const timeoutMs = (task.kind === 'decide' ? 1 : MAX_COMPILE_TIMEOUTS) * this.config.CHECK_TIMEOUT_MS;
    try {
      const pool = await this.started();
      return await this.measured(batch, timeoutMs, abort, () => pool.run(task, { signal: abort.signal }) as Promise<ThreadAnswer>);
    } catch (error) {
      if (abort.signal.aborted) return { undecided: `It took longer than ${timeoutMs} ms.` };
      if (this.isStopping) return STOPPING;
      if (isOutOfMemory(error)) return mayRetry ? this.attempt(task, batch, false) : { undecided: 'It took more memory than a check may take.' };
      this.log.error({ err: error }, 'a check could not be decided');
      return { undecided: 'It could not be decided.' };
    }
  }

  /** Work of the thread, which ends at its deadline and counts as used by the batch. */
  private async measured<T>(batch: Batch, timeoutMs: number, abort: AbortController, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const startedMs = this.clock.monotonicMs();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      batch.usedMs += this.clock.monotonicMs() - startedMs;
    }
  }

  /** The pool, with a ready thread: its start counts for no user. */
  private async started(): Promise<Piscina> {
    const pool = this.pool ??= this.newPool();
    if (pool.threads.length === 0) await pool.run({ kind: 'start' } satisfies ThreadTask, { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    return pool;
  }

  private newPool(): Piscina {
    const pool = new Piscina<ThreadTask, ThreadAnswer>({
      filename: join(__dirname, 'checks.worker.js'), minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS, recordTiming: false,
      // Nothing of the process's own settings belongs where others' patterns and schemas run.
      env: {}, argv: [], execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    });
    pool.on('error', (err: unknown) => this.log.error({ err }, 'the thread of the checks failed'));
    return pool;
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
