import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { isId, newId } from '../common/ids';
import { Money } from '../common/money';
import type { Transaction } from '../database/transaction';
import { DatasetsService } from '../datasets/datasets.service';
import { CANCELED_EXPERIMENT, isErased, type Experiment } from './experiment.entity';
import type { ChangeExperimentRequest } from './experiments.dto';
import { ExperimentsRepository } from './experiments.repository';
import { experimentNotFound } from './experiments.service';
import { refuseTooMany } from './refuse-too-many';

const DAY_MS = 86_400_000;

/** Pauses, resumes, cancels and retries experiments, and changes their caps. */
@Injectable()
export class ChangeExperimentService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly datasets: DatasetsService,
    private readonly clock: Clock,
  ) {}

  /** Makes all of the changes, or none. @throws ApiError not_found, conflict, rate_limited if too many would run */
  async change({ userId }: Caller, id: string, { state, max_cost_usd: cap, retry }: ChangeExperimentRequest): Promise<void> {
    if (!isId('exp', id)) throw experimentNotFound();
    await this.repository.inTransaction(async (tx) => {
      const experiment = await this.repository.lock(tx, userId, id);
      if (experiment === null) throw experimentNotFound();
      if (isErased(experiment)) throw conflict('This experiment was erased.');
      if (cap !== undefined) await this.changeCap(tx, experiment, Money.fromNumber(cap));
      if (retry !== undefined) await this.retry(tx, experiment, retry);
      if (state === 'paused') pause(experiment);
      if (state === 'running') await this.resume(tx, experiment);
      if (state === CANCELED_EXPERIMENT) await this.cancel(tx, experiment);
    });
  }

  private async changeCap(tx: Transaction, experiment: Experiment, cap: Money): Promise<void> {
    if (experiment.state === CANCELED_EXPERIMENT) throw conflict('This experiment was canceled; its cap cannot change.');
    const { held } = await this.repository.held(tx, experiment.id);
    const least = experiment.cost.plus(held);
    if (cap.compare(least) < 0) throw conflict(`max_cost_usd must be at least ${least.toString()}: so much was spent, or can be spent by the running rows.`);
    const isRaised = cap.compare(experiment.maxCost) > 0;
    experiment.maxCost = cap;
    if (isRaised && experiment.reason === 'cap_reached') await this.goOn(tx, experiment);
  }

  private async resume(tx: Transaction, experiment: Experiment): Promise<void> {
    if (experiment.state === 'running') return;
    if (experiment.state !== 'paused') throw hasEnded(experiment);
    if (experiment.reason === 'cap_reached') throw conflict('This experiment has reached its cap; a higher max_cost_usd lets it go on.');
    await this.goOn(tx, experiment);
  }

  private async goOn(tx: Transaction, experiment: Experiment): Promise<void> {
    refuseTooMany(await this.repository.countStarted(tx, experiment.userId, new Date(this.clock.now().getTime() - DAY_MS)), true);
    Object.assign(experiment, { state: 'running', reason: null, reasonDetail: null, finishedAt: null });
  }

  /** Running rows end and are charged. */
  private async cancel(tx: Transaction, experiment: Experiment): Promise<void> {
    if (experiment.state === CANCELED_EXPERIMENT) return;
    if (experiment.state === 'finished') throw hasEnded(experiment);
    await this.repository.dropWaiting(tx, experiment);
    Object.assign(experiment, { state: CANCELED_EXPERIMENT, reason: null, reasonDetail: null, finishedAt: this.clock.now() });
  }

  private async retry(tx: Transaction, experiment: Experiment, which: 'failed' | 'missing'): Promise<void> {
    if (experiment.state === CANCELED_EXPERIMENT) throw hasEnded(experiment);
    const now = this.clock.now();
    const missing = which === 'missing' ? await this.repository.takeMissing(tx, experiment.id) : [];
    if (missing.length > 0) await this.repository.addAttempts(tx, experiment.id, missing.map((row) => ({ ...row, evalId: newId('eval', now) })), now);
    const { rows, first } = await this.repository.retryFailed(tx, experiment.id);
    if (rows + missing.length === 0) return;
    await this.datasets.hold(tx, experiment.userId, experiment.datasetId).catch((error: unknown) => { throw error instanceof ApiError ? conflict('The data set of this experiment was deleted.') : error; });
    Object.assign(experiment, { open: experiment.open + rows + missing.length, failed: experiment.failed - first, summary: null });
    if (experiment.state === 'finished') await this.goOn(tx, experiment);
  }
}

function pause(experiment: Experiment): void {
  if (experiment.state === 'paused') return;
  if (experiment.state !== 'running') throw hasEnded(experiment);
  Object.assign(experiment, { state: 'paused', reason: 'by_user', reasonDetail: null });
}

function hasEnded({ state }: Experiment): ApiError {
  return conflict(`This experiment has ended (${state}).`);
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message });
}
