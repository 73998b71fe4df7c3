import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Drain } from '../../platform/background/drain';
import { lookUntil } from '../../platform/background/look-until';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { withTimeout } from '../../common/with-timeout';
import { Config } from '../../platform/config/config';
import { OverloadService } from '../execution/overload.service';
import { ClaimedJob } from './claimed-job';
import { JobAttemptService } from './job-attempt.service';
import { isUnfinished } from './job.entity';
import type { JobRecord } from './job.types';
import { JobsRepository } from './jobs.repository';
import type { ClaimedWork, WorkSource } from './work-source';

/**
 * How often this process looks for jobs of processes that died, while any job is unfinished and while none is, in
 * milliseconds.
 */
const BUSY_INTERVAL_MS = 1000;
const IDLE_INTERVAL_MS = 10_000;
/** Users whose turn it was last. */
const MAX_SERVED = 1000;

/**
 * Claims queued jobs, and work of other sources, for the free slots of this process, and renews their leases while they
 * run.
 */
@Injectable()
export class JobWorkerService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(JobWorkerService.name);
  /** Runs come first, and what their users leave free is for the other sources. */
  private readonly sources: WorkSource[];
  private readonly claimed = new Map<string, { source: WorkSource; work: ClaimedWork }>();
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
    attempts: JobAttemptService,
    private readonly overload: OverloadService,
    private readonly drain: Drain,
    private readonly config: Config,
  ) {
    const ttlSeconds = config.RESERVATION_TTL_SECONDS;
    const runs: WorkSource<ClaimedJob> = {
      claim: async (limit, served) =>
        (await jobs.hasUnfinished())
          ? (await jobs.claim(limit, ttlSeconds, served)).map((row) => new ClaimedJob(row, jobs))
          : undefined,
      run: (job, isStopping) => attempts.run(job, isStopping),
      renew: (claimed) => jobs.renew(claimed, ttlSeconds),
      requeue: (claimed) => jobs.requeue(claimed, 0, false),
    };
    this.sources = [runs];
  }

  /** Adds a source of work, whose work runs in the slots that runs leave free. */
  addSource<Work extends ClaimedWork>(source: WorkSource<Work>): void {
    this.sources.push(source);
  }

  onApplicationBootstrap(): void {
    if (this.config.MAX_CONCURRENT_RUNS === 0) return;
    this.task.start();
    this.renewal = setInterval(() => void this.renewLeases(), (this.config.RESERVATION_TTL_SECONDS * 1000) / 3);
  }

  /** Claims nothing more. Running jobs are finished like every compare. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Waits for running jobs, as long as for any compare, and then requeues the rest: another process runs them, or this
   * one after its next start.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await withTimeout(
      this.config.EVAL_TIMEOUT_MS,
      Promise.all([...this.ends.values()].map(({ promise }) => promise)),
    ).catch(() => undefined);
    clearInterval(this.renewal);
    await this.ofEachSource((source, claimed) => source.requeue(claimed));
  }

  /** Looks for queued jobs now. */
  wake(): void {
    this.task.wake();
  }

  /**
   * Wakes the worker, then waits until the job ends, the timeout passes, the client disconnects or the process stops.
   * Returns the latest state.
   */
  async waitFor({ userId }: Caller, job: JobRecord, seconds: number, isWaiting: () => boolean): Promise<JobRecord> {
    this.wake();
    return lookUntil(
      job,
      async () => (await this.jobs.find(userId, job.id)) ?? job,
      (latest) => !isUnfinished(latest),
      {
        seconds,
        isWaiting: () => isWaiting() && !this.drain.isDraining,
        soon: () => this.endOf(job.id),
      },
    );
  }

  /** Resolves when a job of this process has ended; undefined if this process does not run it. */
  endOf(runId: string): Promise<void> | undefined {
    return this.ends.get(runId)?.promise;
  }

  private async claimBatch(): Promise<boolean> {
    if (this.claimed.size >= this.config.MAX_CONCURRENT_RUNS || this.drain.isDraining || this.overload.isOverloaded)
      return false;
    this.isIdle = true;
    for (const source of this.sources) {
      const free = this.config.MAX_CONCURRENT_RUNS - this.claimed.size;
      const claimed = free > 0 ? await source.claim(free, this.served) : [];
      if (claimed === undefined) continue;
      this.isIdle = false;
      this.served = [...new Set([...claimed.map(({ userId }) => userId).reverse(), ...this.served.toReversed()])]
        .slice(0, MAX_SERVED)
        .reverse();
      for (const work of claimed) this.begin(source, work);
    }
    return false;
  }

  private begin(source: WorkSource, work: ClaimedWork): void {
    const claimed = this.claimed.get(work.id);
    if (claimed !== undefined) {
      // Its lease had expired while this process was paused, and no other process has claimed it: the attempt continues
      // under the new lease.
      claimed.work.fence = work.fence;
      return;
    }
    const end = Promise.withResolvers<void>();
    this.claimed.set(work.id, { source, work });
    this.ends.set(work.id, end);
    void source
      .run(work, () => this.task.isStopping)
      .finally(() => {
        this.claimed.delete(work.id);
        this.ends.delete(work.id);
        end.resolve();
        this.task.wake();
      });
  }

  private async renewLeases(): Promise<void> {
    // A failed renewal is harmless if the next one is in time. Work whose lease is lost is stored by the process that
    // has claimed it.
    await this.ofEachSource((source, claimed) => source.renew(claimed)).catch((error: unknown) =>
      this.log.warn(`Leases of runs cannot be renewed now: ${String(error)}`),
    );
  }

  private async ofEachSource(work: (source: WorkSource, claimed: ClaimedWork[]) => Promise<unknown>): Promise<void> {
    const bySource = Map.groupBy(this.claimed.values(), ({ source }) => source);
    await Promise.all(
      [...bySource].map(([source, claimed]) =>
        work(
          source,
          claimed.map((one) => one.work),
        ),
      ),
    );
  }
}
