import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ComparisonsService } from '../../analysis/comparisons.service';
import { ThreadPoolService } from '../../../platform/background/thread-pool.service';
import type { ExperimentTask } from './summary.worker';

const FILE = join(__dirname, 'summary.worker.js');
/** Longer than 100,000 rows of 8 models take on a busy machine. */
const MAX_RUN_MS = 60_000;

/** Does the arithmetic of summaries in the thread pool, user by user. */
@Injectable()
export class SummaryTasksService {
  constructor(
    private readonly threads: ThreadPoolService,
    private readonly comparisons: ComparisonsService,
  ) {}

  /** Reads rows when it is the turn of this key. @throws ApiError rate_limited */
  async inTurn<T>(fairnessKey: string, work: () => Promise<T>): Promise<T> {
    return this.comparisons.inTurn(fairnessKey, work);
  }

  /** @throws ApiError overloaded */
  async run<T>(fairnessKey: string, input: ExperimentTask): Promise<T> {
    return this.threads.run<T>(fairnessKey, {
      file: FILE,
      input,
      warmUp: { kind: 'start' } satisfies ExperimentTask,
      timeoutMs: MAX_RUN_MS,
    });
  }
}
