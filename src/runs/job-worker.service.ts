import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Drain } from '../background/drain';
import { PeriodicTask } from '../background/periodic-task';
import { withTimeout } from '../common/with-timeout';
import { Config } from '../config/config';
import { OverloadService } from '../execution/overload.service';
import { ClaimedJob } from './claimed-job';
import { JobAttemptService } from './job-attempt.service';
import { isUnfinished } from './job.entity';
import type { JobRecord } from './job.types';
import { JobsRepository } from './jobs.repository';

/** How often this process looks for jobs of processes that died, while any job is unfinished and while none is, in milliseconds. */
const BUSY_INTERVAL_MS = 1000;
const IDLE_INTERVAL_MS = 10_000;
/** The interval between two looks at a job that is waited for, in milliseconds: another process may run it. */
const MIN_WAIT_MS = 50;
const MAX_WAIT_MS = 500;
/** Users whose turn it was last. */
const MAX_SERVED = 1000;

/** Claims queued jobs for the free slots of this process, and renews their leases while they run. */
@Injectable()
export class JobWorkerService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(JobWorkerService.name);
  private readonly held = new Map<string, ClaimedJob>();
  private readonly ends = new Map<string, PromiseWithResolvers<void>>();
  /** The users whose jobs this process has claimed, the latest last. */
  private served: string[] = [];
  private isIdle = false;
  private renewal: NodeJS.Timeout | undefined;
  private readonly task = new PeriodicTask({
    name: 'runs',
    pauseMs: () => (this.isIdle ? IDLE_INTERVAL_MS : BUSY_INTERVAL_MS),
    runBatch: () => this.claimBatch(),
    onFailure: (error) => this.log.warn(`Runs cannot be claimed now: ${String(error)}`),
  });

  constructor(
    private readonly jobs: JobsRepository,
    private readonly attempts: JobAttemptService,
    private readonly overload: OverloadService,
    private readonly drain: Drain,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.MAX_CONCURRENT_RUNS === 0) return;
    this.task.start();
    this.renewal = setInterval(() => void this.renewLeases(), (this.config.RESERVATION_TTL_SECONDS * 1000) / 3);
  }

  /** Claims nothing more. Running jobs are finished like every compare. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Waits for running jobs, as long as for any compare, and then requeues the rest: another process runs them, or this one after its next start. */
  async beforeApplicationShutdown(): Promise<void> {
    await withTimeout(this.config.EVAL_TIMEOUT_MS, Promise.all([...this.ends.values()].map(({ promise }) => promise))).catch(() => undefined);
    clearInterval(this.renewal);
    if (this.held.size > 0) await this.jobs.requeue([...this.held.values()], 0, false);
  }

  /** Looks for queued jobs now. */
  wake(): void {
    this.task.wake();
  }

  /** Wakes the worker, then waits until the job ends, the timeout passes, the client disconnects or the process stops. Returns the latest state. */
  async waitFor({ userId }: Caller, job: JobRecord, seconds: number, isWaiting: () => boolean): Promise<JobRecord> {
    let latest = job;
    this.wake();
    if (seconds === 0) return latest;
    const timeout = AbortSignal.timeout(seconds * 1000);
    for (let waitMs = MIN_WAIT_MS; isUnfinished(latest) && isWaiting() && !this.drain.isDraining && !timeout.aborted; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      const pause = delay(waitMs, undefined, { signal: timeout }).catch(() => undefined);
      await Promise.race([this.endOf(job.id) ?? pause, pause]);
      latest = (await this.jobs.find(userId, job.id)) ?? latest;
    }
    return latest;
  }

  /** Resolves when a job of this process has ended; undefined if this process does not run it. */
  endOf(runId: string): Promise<void> | undefined {
    return this.ends.get(runId)?.promise;
  }

  private async claimBatch(): Promise<boolean> {
    const free = this.config.MAX_CONCURRENT_RUNS - this.held.size;
    if (free <= 0 || this.drain.isDraining || this.overload.isOverloaded) return false;
    this.isIdle = !(await this.jobs.hasUnfinished());
    if (this.isIdle) return false;
    const claimed = await this.jobs.claim(free, this.config.RESERVATION_TTL_SECONDS, this.served);
    this.served = [...new Set([...claimed.map(({ userId }) => userId).reverse(), ...this.served.toReversed()])].slice(0, MAX_SERVED).reverse();
    for (const row of claimed) this.begin(new ClaimedJob(row, this.jobs));
    return false;
  }

  private begin(job: ClaimedJob): void {
    const held = this.held.get(job.runId);
    if (held !== undefined) {
      // Its lease had expired while this process was paused, and no other process has claimed it: the attempt continues under the new lease.
      held.fence = job.fence;
      return;
    }
    const end = Promise.withResolvers<void>();
    this.held.set(job.runId, job);
    this.ends.set(job.runId, end);
    void this.attempts.run(job, () => this.task.isStopping).finally(() => {
      this.held.delete(job.runId);
      this.ends.delete(job.runId);
      end.resolve();
      this.task.wake();
    });
  }

  private async renewLeases(): Promise<void> {
    if (this.held.size === 0) return;
    // A failed renewal is harmless if the next one is in time. A job whose lease is lost is stored by the process that has claimed it.
    await this.jobs.renew([...this.held.values()], this.config.RESERVATION_TTL_SECONDS).catch((error: unknown) => this.log.warn(`Leases of runs cannot be renewed now: ${String(error)}`));
  }
}
