import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { BusyError, FairTurns } from '../../platform/background/fair-turns';
import { ThreadPoolService } from '../../platform/background/thread-pool.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { run, type ComparisonTask } from '../statistics/answers.worker';
import type { AnswerAgreement, ModelAnswers, SelfAgreement } from '../statistics/answer-comparison';
import type { AnswerDrift, Answers } from '../statistics/answer-pairs';

const FILE = join(__dirname, '../statistics/answers.worker.js');
/** Answers that are not longer all together are compared within some 4 ms, and so on the event loop. */
const MAX_INLINE_CHARACTERS = 4096;
/** Longer than the longest comparison takes on a busy machine. */
const MAX_RUN_MS = 60_000;
/** The maximum number of requests that hold the texts of an eval in memory at the same time. */
const MAX_RUNNING = 4;
/** The maximum number of waiting requests of one user; they hold no texts. */
const MAX_WAITING_OF_USER = 20;

/**
 * Compares stored answers, in the thread pool where that takes long. `fairnessKey` says whose turn a comparison takes:
 * that of a user, or of the viewers of a share.
 */
@Injectable()
export class ComparisonsService {
  private readonly turns: FairTurns;

  constructor(
    private readonly threads: ThreadPoolService,
    clock: Clock,
  ) {
    this.turns = new FairTurns(clock, { maxRunning: MAX_RUNNING, maxWaitingOfShare: MAX_WAITING_OF_USER });
  }

  /**
   * Loads an eval and compares its answers when it is the turn of this key. @throws ApiError rate_limited when too many
   * of this key wait already
   */
  async inTurn<T>(fairnessKey: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.run(fairnessKey, work);
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      throw new ApiError('rate_limited', {
        message: `At most ${MAX_WAITING_OF_USER} requests of one user for statistics, agreement or drift may wait at the same time.`,
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }

  async compare(fairnessKey: string, models: readonly ModelAnswers[]): Promise<AnswerAgreement> {
    return this.run(
      fairnessKey,
      { kind: 'compare', models },
      models.flatMap(({ answers }) => answers),
    );
  }

  /** Compares the answers of each model with each other. */
  async compareOwn(fairnessKey: string, models: readonly ModelAnswers[]): Promise<(SelfAgreement | null)[]> {
    return this.run(
      fairnessKey,
      { kind: 'compare-own', models },
      models.flatMap(({ answers }) => answers),
    );
  }

  /** Compares the answers of each model in two evals. */
  async pair(fairnessKey: string, models: readonly Answers[]): Promise<AnswerDrift[]> {
    return this.run(
      fairnessKey,
      { kind: 'pair', models },
      models.flatMap(({ before, after }) => [...before, ...after]),
    );
  }

  private async run<T>(fairnessKey: string, task: ComparisonTask, answers: readonly string[]): Promise<T> {
    const characters = answers.reduce((sum, { length }) => sum + length, 0);
    if (characters <= MAX_INLINE_CHARACTERS) return run(task) as T;
    return this.threads.run<T>(fairnessKey, {
      file: FILE,
      input: task,
      warmUp: { kind: 'compare', models: [] } satisfies ComparisonTask,
      timeoutMs: MAX_RUN_MS,
    });
  }
}
