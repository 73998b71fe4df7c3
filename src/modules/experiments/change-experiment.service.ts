import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock, DAY_MS } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId, newId } from '../../common/ids';
import { Money } from '../../common/money';
import type { Transaction } from '../../platform/database/transaction';
import { DatasetsService } from '../datasets/datasets.service';
import { readCommand } from '../runs/job-command';
import { JobWorkerService } from '../runs/job-worker.service';
import { ExamineExperimentService } from './examine-experiment.service';
import { CANCELED_EXPERIMENT, Experiment, GOES_ON_BY, isErased, type PauseReason } from './experiment.entity';
import type { ExperimentCommand } from './experiment.types';
import type { ChangeExperimentRequest } from './experiments.dto';
import { judging, rubricSpec } from './judge/judge-command.service';
import { fingerprintOf, newExperiment } from './new-experiment';
import { ExperimentsRepository, type StartedExperiments } from './experiments.repository';
import { experimentNotFound } from './experiments.service';

const MAX_RUNNING = 3;
const MAX_A_DAY = 100;

/**
 * The effect of an act on an experiment in a state. Only `does` changes it, and `nothing` succeeds too.
 * `GOES_ON_BY` has the acts that end a pause.
 */
const ACTS = {
  pause: { running: 'does', paused: 'nothing', finished: 'ended', [CANCELED_EXPERIMENT]: 'ended' },
  resume: { running: 'nothing', paused: 'does', finished: 'ended', [CANCELED_EXPERIMENT]: 'ended' },
  cancel: { running: 'does', paused: 'does', finished: 'ended', [CANCELED_EXPERIMENT]: 'nothing' },
  retry: { running: 'does', paused: 'does', finished: 'does', [CANCELED_EXPERIMENT]: 'ended' },
  changeCap: { running: 'does', paused: 'does', finished: 'does', [CANCELED_EXPERIMENT]: 'fixed' },
} as const;
type Act = keyof typeof ACTS;

/** The act that asks for a state. */
const ACT_FOR = { paused: 'pause', running: 'resume', [CANCELED_EXPERIMENT]: 'cancel' } as const;

const REFUSALS = {
  ended: ({ state }: Experiment) => `This experiment has ended (${state}).`,
  fixed: () => 'This experiment was canceled; its cap cannot change.',
};

/** Starts, pauses, resumes, cancels and retries experiments, and changes their caps. */
@Injectable()
export class ChangeExperimentService implements OnModuleInit {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly examination: ExamineExperimentService,
    private readonly datasets: DatasetsService,
    private readonly worker: JobWorkerService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.datasets.uses.register((id) => this.repository.usesDataset(id));
  }

  /**
   * Starts an experiment and returns its id. The same Idempotency-Key and request give the same experiment for 24
   * hours.
   * @throws ApiError what `ExamineExperimentService` refuses, payment_required, idempotency_key_reused, rate_limited
   */
  async start(
    caller: Caller,
    command: ExperimentCommand,
    idempotencyKey: string | undefined,
  ): Promise<{ id: string; isReplay: boolean }> {
    const fingerprint = fingerprintOf(command);
    const earlier = await this.findReplay(caller, idempotencyKey, fingerprint);
    if (earlier !== undefined) return { id: earlier, isReplay: true };
    const { rows } = await this.examination.examine(caller, command);
    this.examination.refuseWithoutPayment(caller);
    const experiment = newExperiment(caller, command, rows, this.clock.now());
    const judges = await this.judgesOf(caller, command, experiment);
    if (idempotencyKey !== undefined) Object.assign(experiment, { idempotencyKey, fingerprint });
    const result = await this.repository.inTransaction(async (tx) => {
      const started = await this.countStarted(tx, caller.userId);
      // Another request with the same key may have been faster; requests of a user come here one after the other.
      const other = await this.findReplay(caller, idempotencyKey, fingerprint);
      if (other !== undefined) return { id: other, isReplay: true };
      refuseTooMany(started);
      await this.datasets.lockForUse(tx, caller.userId, command.datasetId);
      for (const one of [experiment, ...judges]) await this.repository.insert(tx, one);
      return { id: experiment.id, isReplay: false };
    });
    this.worker.wake();
    return result;
  }

  /**
   * Makes all of the changes, or none. The key of the caller pays for what it lets go on. @throws ApiError not_found,
   * conflict, rate_limited if too many would run, payment_required, model_not_allowed
   */
  async change(
    caller: Caller,
    id: string,
    { state, max_cost_usd: cap, retry }: ChangeExperimentRequest,
  ): Promise<void> {
    if (!isId('exp', id)) throw experimentNotFound();
    await this.repository.inTransaction(async (tx) => {
      const experiment = await this.repository.lock(tx, caller.userId, id);
      if (experiment === null) throw experimentNotFound();
      refuseUnchangeable(experiment, state);
      if (cap !== undefined && does('changeCap', experiment))
        await this.changeCap(tx, caller, experiment, Money.fromNumber(cap));
      if (retry !== undefined && does('retry', experiment)) await this.retry(tx, caller, experiment, retry);
      if (state !== undefined && does(ACT_FOR[state], experiment)) await this[ACT_FOR[state]](experiment, tx, caller);
    });
    this.worker.wake();
  }

  private async changeCap(tx: Transaction, caller: Caller, experiment: Experiment, cap: Money): Promise<void> {
    const least = experiment.cost.plus(await this.repository.held(tx, experiment.id));
    if (cap.compare(least) < 0)
      throw conflict(
        `max_cost_usd must be at least ${least.toString()}, the amount that was spent or that running rows may still spend.`,
      );
    const isRaised = cap.compare(experiment.maxCost) > 0;
    experiment.maxCost = cap;
    if (!isRaised) return;
    this.takeOver(caller, experiment);
    if (goesOnBy(experiment) === 'raised cap') await this.continue(tx, experiment);
  }

  private pause(experiment: Experiment): void {
    Object.assign(experiment, { state: 'paused', reason: 'by_user', reasonDetail: null });
  }

  private async resume(experiment: Experiment, tx: Transaction, caller: Caller): Promise<void> {
    if (goesOnBy(experiment) === 'raised cap')
      throw conflict('This experiment has reached its cap; a higher max_cost_usd lets it go on.');
    this.takeOver(caller, experiment);
    await this.continue(tx, experiment);
  }

  private async continue(tx: Transaction, experiment: Experiment): Promise<void> {
    refuseTooMany(await this.countStarted(tx, experiment.userId), true);
    const { createdAt, dealtAt, startedAt } = experiment;
    // The time since the last scheduling is that of the pause, which `eta_seconds` must not count.
    const pausedMs = this.clock.now().getTime() - (dealtAt ?? createdAt).getTime();
    experiment.startedAt = new Date((startedAt ?? createdAt).getTime() + pausedMs);
    Object.assign(experiment, { state: 'running', reason: null, reasonDetail: null, finishedAt: null });
  }

  /**
   * Makes the key of the caller the payer of the rest, under its limits. Rows that run end under the key before.
   * @throws ApiError payment_required, model_not_allowed
   */
  private takeOver(caller: Caller, experiment: Experiment): void {
    this.examination.refusePayer(caller, readCommand(experiment.spec.command).models);
    experiment.keyId = caller.keyId;
  }

  /** Running rows end and are charged. */
  private async cancel(experiment: Experiment, tx: Transaction): Promise<void> {
    await this.repository.dropWaiting(tx, experiment);
    await this.repository.judges.cancelWaiting(tx, experiment.id, this.clock.now());
    Object.assign(experiment, {
      state: CANCELED_EXPERIMENT,
      reason: null,
      reasonDetail: null,
      finishedAt: this.clock.now(),
    });
  }

  private async retry(
    tx: Transaction,
    caller: Caller,
    experiment: Experiment,
    which: 'failed' | 'missing',
  ): Promise<void> {
    const now = this.clock.now();
    const missing = which === 'missing' ? await this.repository.takeMissing(tx, experiment.id) : [];
    if (missing.length > 0)
      await this.repository.addAttempts(
        tx,
        experiment.id,
        missing.map((row) => ({ ...row, evalId: newId('eval', now) })),
        now,
      );
    const { rows, first } = await this.repository.retryFailed(tx, experiment.id);
    if (rows + missing.length === 0) return;
    this.takeOver(caller, experiment);
    await this.datasets.lockForUse(tx, experiment.userId, experiment.datasetId).catch((error: unknown) => {
      throw error instanceof ApiError ? conflict('The data set of this experiment was deleted.') : error;
    });
    Object.assign(experiment, {
      open: experiment.open + rows + missing.length,
      failed: experiment.failed - first,
      summary: null,
    });
    if (experiment.state === 'finished') await this.continue(tx, experiment);
  }

  private async findReplay(
    { userId }: Caller,
    key: string | undefined,
    fingerprint: string,
  ): Promise<string | undefined> {
    const earlier = key === undefined ? undefined : await this.repository.findByKey(userId, key, this.dayAgo());
    if (earlier !== undefined && earlier.fingerprint !== fingerprint)
      throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    return earlier?.id;
  }

  /** The judges of rubrics, which wait for the answers. What is left of the cap then is theirs. */
  private async judgesOf(
    caller: Caller,
    command: ExperimentCommand,
    { id, rowCount }: Experiment,
  ): Promise<Experiment[]> {
    const judges: Experiment[] = [];
    for (const rubric of command.spec.rubrics ?? []) {
      const spec = rubricSpec(rubric, id, command.command.models, rowCount);
      const judge = { ...command, name: rubric.name ?? null, maxCost: Money.zero, ...judging(spec, [rubric.judge]) };
      const { rows } = await this.examination.examine(caller, judge);
      judges.push(
        Object.assign(newExperiment(caller, judge, rows, this.clock.now()), {
          state: 'paused' as const,
          reason: 'waiting_for_answers' as const,
          reasonDetail: `It begins when ${id} has ended.`,
        }),
      );
    }
    return judges;
  }

  private countStarted(tx: Transaction, userId: string): Promise<StartedExperiments> {
    return this.repository.countStarted(tx, userId, this.dayAgo());
  }

  private dayAgo(): Date {
    return new Date(this.clock.now().getTime() - DAY_MS);
  }
}

/** The act that ends the pause of an experiment; null without a pause. */
function goesOnBy({ reason }: Experiment): (typeof GOES_ON_BY)[PauseReason] | null {
  return reason && GOES_ON_BY[reason];
}

/** True if the act changes the experiment. @throws ApiError conflict */
function does(act: Act, experiment: Experiment): boolean {
  // Erased ones are refused before any act.
  const effect = ACTS[act][experiment.state as keyof (typeof ACTS)[Act]];
  if (effect === 'does' || effect === 'nothing') return effect === 'does';
  throw conflict(REFUSALS[effect](experiment));
}

/**
 * Refuses a further running experiment of a user; `isContinued` if it was started before. @throws ApiError rate_limited
 */
function refuseTooMany({ running, today }: StartedExperiments, isContinued = false): void {
  if (running >= MAX_RUNNING)
    throw new ApiError('rate_limited', {
      message: `${MAX_RUNNING} experiments of this user run already; wait until one ends, or pause one.`,
      retryAfterSeconds: 60,
    });
  if (!isContinued && today >= MAX_A_DAY)
    throw new ApiError('rate_limited', {
      message: `This user has started ${MAX_A_DAY} experiments within 24 hours.`,
      retryAfterSeconds: 3600,
    });
}

/** @throws ApiError conflict for an erased experiment, and for judges that wait, unless they are canceled */
function refuseUnchangeable(experiment: Experiment, state: string | undefined): void {
  if (isErased(experiment)) throw conflict('This experiment was erased.');
  if (goesOnBy(experiment) === 'answers' && state !== CANCELED_EXPERIMENT)
    throw conflict('This experiment begins by itself when the experiment that it judges has ended.');
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message });
}
