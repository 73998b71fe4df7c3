import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { Clock } from '../../common/clock';
import { Drain } from '../../background/drain';
import { RunEngineService } from './run-engine.service';
import { isUnfinished } from './run.entity';
import { RunsRepository, type RunRecord } from './runs.repository';

/** The interval between two looks at a run, in milliseconds: another process may run it. */
const MIN_INTERVAL_MS = 50;
const MAX_INTERVAL_MS = 500;

/** Begins to work on runs at once, and waits for them. */
@Injectable()
export class RunWaitService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly engine: RunEngineService,
    private readonly clock: Clock,
    private readonly drain: Drain,
  ) {}

  /** Wakes the worker, then waits until the run ends, the timeout passes, the client disconnects or the process stops. Returns the latest state. */
  async waitFor({ userId }: Caller, run: RunRecord, seconds: number, isWaiting: () => boolean): Promise<RunRecord> {
    const deadlineMs = this.clock.monotonicMs() + seconds * 1000;
    let latest = run;
    this.engine.wake();
    for (let intervalMs = MIN_INTERVAL_MS; isUnfinished(latest) && isWaiting() && !this.drain.isDraining; intervalMs = Math.min(2 * intervalMs, MAX_INTERVAL_MS)) {
      const leftMs = deadlineMs - this.clock.monotonicMs();
      if (leftMs <= 0) break;
      const pause = delay(Math.min(intervalMs, leftMs));
      await Promise.race([this.engine.endOf(run.id) ?? pause, pause]);
      latest = (await this.runs.find(userId, run.id)) ?? latest;
    }
    return latest;
  }
}
