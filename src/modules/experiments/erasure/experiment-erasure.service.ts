import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { systemActor, type Actor } from '../../audit/actor';
import { AuditService } from '../../audit/audit.service';
import { facts } from '../../audit/changes';
import type { Caller } from '../../auth/caller';
import { PeriodicTask } from '../../../platform/background/periodic-task';
import { toChecks } from '../../checks/read-checks';
import { Clock } from '../../../common/clock';
import { isId } from '../../../common/ids';
import type { Transaction } from '../../../platform/database/transaction';
import { EvalsService } from '../../evals/evals.service';
import { readCommand, storedCommand } from '../../runs/job-command';
import { isErased, type Experiment, type ExperimentSpec, type ExperimentState } from '../experiment.entity';
import { ExperimentsRepository } from '../experiments.repository';
import { experimentNotFound } from '../experiments.service';
import { SummariesService } from '../summary/summaries.service';

/**
 * Pause between two rounds, in milliseconds; seldom at the instants of other tasks, which would keep more connections
 * open.
 */
const INTERVAL_MS = 25_000;
/** Rows whose evals are erased in one transaction. */
const BATCH_ROWS = 200;
const ERASURE = systemActor('experiment_erasure');

/**
 * Erases the texts of experiments in batches, if their user deletes them or they ended more than RETENTION_DAYS ago.
 * Charges, figures, counts and the summary stay. Any number of processes can run it concurrently.
 */
@Injectable()
export class ExperimentErasureService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ExperimentErasureService.name);
  private readonly task = new PeriodicTask({
    name: 'experiment_erasure',
    pauseMs: INTERVAL_MS,
    runBatch: async () => (await this.beginExpired()) || (await this.eraseBatch()),
    onFailure: (error) => this.log.warn(`Experiments could not be erased now: ${String(error)}`),
  });

  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly summaries: SummariesService,
    private readonly evals: EvalsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  // Before the database connection is closed.
  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Ends an experiment and begins to erase it; its own texts go at once. Rows that run end, are charged and are erased
   * then. Returns its state. @throws ApiError not_found
   */
  async erase(actor: Actor, { userId }: Caller, id: string): Promise<ExperimentState> {
    if (!isId('exp', id)) throw experimentNotFound();
    await this.keepSummaries(userId, id);
    const state = await this.audit.change(actor, async (tx) => {
      const experiment = await this.repository.lock(tx, userId, id);
      if (experiment === null) throw experimentNotFound();
      const isNew = !isErased(experiment);
      if (isNew) await this.begin(tx, experiment);
      return {
        value: experiment.state,
        note: {
          action: 'experiment.erased',
          targetType: 'experiment',
          targetId: id,
          changes: isNew ? facts({ userId }) : {},
        },
      };
    });
    this.task.wake();
    return state;
  }

  /** Begins to erase one experiment that is too old, and keeps its summary. Returns true if it found one. */
  private async beginExpired(): Promise<boolean> {
    const endedBefore = this.repository.keptSince(this.clock.now());
    if (endedBefore === undefined) return false;
    const expired = await this.repository.inTransaction((tx) => this.repository.lockEndedBefore(tx, endedBefore));
    if (expired === undefined) return false;
    const { id, userId } = expired;
    await this.keepSummaries(userId, id);
    return this.audit.change(ERASURE, async (tx) => {
      // Undefined if another process was faster.
      const experiment = await this.repository.lockEndedBefore(tx, endedBefore, id);
      if (experiment !== undefined) await this.begin(tx, experiment);
      return {
        value: true,
        note: {
          action: 'experiment.expired',
          targetType: 'experiment',
          targetId: id,
          changes: experiment === undefined ? {} : facts({ userId, endedBefore }),
        },
      };
    });
  }

  /** Also erases what judges said of its answers. */
  private async begin(tx: Transaction, experiment: Experiment): Promise<void> {
    for (const judges of await this.repository.judges.lock(tx, experiment.id))
      if (!isErased(judges)) await this.begin(tx, judges);
    await this.repository.dropWaiting(tx, experiment);
    Object.assign(experiment, {
      state: 'erasing',
      erasedTo: 0,
      reason: null,
      reasonDetail: null,
      name: null,
      spec: withoutTexts(experiment.spec),
      decision: experiment.decision && { ...experiment.decision, reason: null },
      finishedAt: experiment.finishedAt ?? this.clock.now(),
    });
  }

  private async keepSummaries(userId: string, id: string): Promise<void> {
    for (const judges of await this.repository.judges.of(userId, id)) await this.summaries.keepFinal(userId, judges.id);
    await this.summaries.keepFinal(userId, id);
  }

  /** Erases the evals of the next rows of an experiment. Returns true if it found one. */
  private async eraseBatch(): Promise<boolean> {
    return this.audit.change(ERASURE, async (tx) => {
      const experiment = await this.repository.lockErasing(tx);
      const count = experiment === undefined ? 0 : await this.eraseRows(tx, experiment);
      const changes = count === 0 ? {} : facts({ userId: experiment?.userId, count });
      return {
        value: experiment !== undefined,
        note: { action: 'experiment.evals_erased', targetType: 'experiment', targetId: experiment?.id ?? '', changes },
      };
    });
  }

  private async eraseRows(tx: Transaction, experiment: Experiment): Promise<number> {
    const { id, userId, nextNo, erasedTo } = experiment;
    const from = erasedTo ?? 0;
    const to = from + BATCH_ROWS;
    const count = await this.evals.eraseAll(tx, userId, await this.repository.clearRows(tx, id, from, to));
    if (to < nextNo) {
      experiment.erasedTo = to;
      return count;
    }
    // Put back by processes that stopped since.
    await this.repository.dropWaiting(tx, experiment);
    Object.assign(experiment, { state: 'erased', erasedTo: null, open: 0 });
    return count;
  }
}

/** The questions without texts. Checks keep their number, which the figures of the rows depend on. */
function withoutTexts({ command, limit, judge }: ExperimentSpec): ExperimentSpec {
  const { options, ...rest } = readCommand(command);
  const extra = { ...options.extra };
  delete extra.system;
  delete extra.history;
  delete extra.response_format;
  return {
    command: storedCommand({
      ...rest,
      prompt: '',
      input: undefined,
      checks: toChecks(rest.checks.map(() => ({ type: 'finished' }))),
      options: { ...options, extra },
    }),
    options: undefined,
    limit,
    ...(judge && { judge: { ...judge, criterion: '' } }),
  };
}
