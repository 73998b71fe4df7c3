import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../config/config';
import { Drain } from '../../background/drain';
import { PeriodicTask } from '../../background/periodic-task';
import { withTimeout } from '../../common/with-timeout';
import { OverloadService } from '../overload.service';
import { RunExecutionService } from './run-execution.service';
import type { ClaimedRun } from './run.types';
import { RunsRepository } from './runs.repository';

/** How often this process looks for runs of processes that died, while any run is unfinished and while none is, in milliseconds. */
const BUSY_INTERVAL_MS = 1000;
const IDLE_INTERVAL_MS = 10_000;
/** Users whose turn it was last. */
const MAX_SERVED = 1000;

/** Claims queued runs, as many as this process has slots for, and holds their leases while they run. */
@Injectable()
export class RunEngineService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(RunEngineService.name);
  private readonly held = new Map<string, ClaimedRun>();
  private readonly ends = new Map<string, PromiseWithResolvers<void>>();
  /** The users whose runs this process has claimed, the latest last. */
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
    private readonly runs: RunsRepository,
    private readonly execution: RunExecutionService,
    private readonly overload: OverloadService,
    private readonly drain: Drain,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.MAX_CONCURRENT_RUNS === 0) return;
    this.task.start();
    this.renewal = setInterval(() => void this.renewLeases(), (this.config.RESERVATION_TTL_SECONDS * 1000) / 3);
  }

  /** Begins nothing more. What this process has begun is finished like every compare. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Waits for running runs, as long as for any compare, and then requeues the rest: another process runs them, or this one after its next start. */
  async beforeApplicationShutdown(): Promise<void> {
    await withTimeout(this.config.EVAL_TIMEOUT_MS, Promise.all([...this.ends.values()].map(({ promise }) => promise))).catch(() => undefined);
    clearInterval(this.renewal);
    if (this.held.size > 0) await this.runs.giveBack([...this.held.values()], 0, false);
  }

  /** Looks for queued runs now. */
  wake(): void {
    this.task.wake();
  }

  /** Resolves when a run that this process holds has ended; undefined when it holds none of that id. */
  endOf(runId: string): Promise<void> | undefined {
    return this.ends.get(runId)?.promise;
  }

  private async claimBatch(): Promise<boolean> {
    const free = this.config.MAX_CONCURRENT_RUNS - this.held.size;
    if (free <= 0 || this.drain.isDraining || this.overload.isOverloaded) return false;
    this.isIdle = !(await this.runs.hasUnfinished());
    if (this.isIdle) return false;
    const claimed = await this.runs.claim(free, this.config.RESERVATION_TTL_SECONDS, this.served);
    this.served = [...new Set([...claimed.map(({ userId }) => userId).reverse(), ...this.served.toReversed()])].slice(0, MAX_SERVED).reverse();
    for (const run of claimed) this.begin(run);
    return false;
  }

  private begin(claimed: ClaimedRun): void {
    const mine = this.held.get(claimed.runId);
    if (mine !== undefined) {
      // Its lease had expired while this process was paused, and no other process has claimed it: the current run continues under the new lease.
      mine.fence = claimed.fence;
      return;
    }
    const end = Promise.withResolvers<void>();
    this.held.set(claimed.runId, claimed);
    this.ends.set(claimed.runId, end);
    void this.execution.run(claimed, () => this.task.isStopping).finally(() => {
      this.held.delete(claimed.runId);
      this.ends.delete(claimed.runId);
      end.resolve();
      this.task.wake();
    });
  }

  private async renewLeases(): Promise<void> {
    if (this.held.size === 0) return;
    // A failed renewal is harmless if the next one is in time. A run whose lease is lost is stored by the process that claimed it since.
    await this.runs.renew([...this.held.values()], this.config.RESERVATION_TTL_SECONDS).catch((error: unknown) => this.log.warn(`Leases of runs cannot be renewed now: ${String(error)}`));
  }
}
