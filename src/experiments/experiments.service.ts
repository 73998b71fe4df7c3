import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { isId, newId } from '../common/ids';
import { Money } from '../common/money';
import { paginate, type Page } from '../common/page';
import { Config } from '../config/config';
import { DatasetUsesService } from '../datasets/dataset-uses.service';
import { DatasetsService } from '../datasets/datasets.service';
import { AdmissionService } from '../execution/admission.service';
import { readCommand } from '../runs/job-command';
import { JobWorkerService } from '../runs/job-worker.service';
import { CANCELED, Experiment, isErased, type PauseReason } from './experiment.entity';
import type { ExperimentCommand, ExperimentView } from './experiment.types';
import type { ChangeExperimentRequest } from './experiments.dto';
import { ExperimentsRepository, type ExperimentWithHeld } from './experiments.repository';
import { namesIn } from './row-command';

const MAX_RUNNING = 3;
const MAX_A_DAY = 100;
const DAY_MS = 86_400_000;
/** How long an Idempotency-Key stands for its experiment. */
const KEY_MS = DAY_MS;
/** Members of a row that no prompt can contain. */
const MEMBERS: ReadonlySet<string> = new Set(['id', 'expected', 'group', 'checks']);
/** The number of ended rows from which on the time left is estimated. */
const MIN_ROWS_OF_ETA = 20;

/** Starts, reads and changes experiments. An experiment of another user does not exist. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly datasets: DatasetsService,
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly worker: JobWorkerService,
    private readonly config: Config,
    private readonly clock: Clock,
    uses: DatasetUsesService,
  ) {
    uses.register((datasetId) => repository.usesDataset(datasetId));
  }

  /**
   * Starts an experiment. The same Idempotency-Key and request give the same experiment for 24 hours.
   * @throws ApiError what `examine` refuses, payment_required, max_cost_exceeded if not even the first row fits under the cap, idempotency_key_reused, rate_limited
   */
  async create(caller: Caller, command: ExperimentCommand, idempotencyKey: string | undefined): Promise<{ view: ExperimentView; isReplay: boolean }> {
    const { userId, keyId } = caller;
    const now = this.clock.now();
    const fingerprint = createHash('sha256').update(JSON.stringify([command.name, command.datasetId, command.spec, command.maxCost, command.parallel])).digest('hex');
    const earlier = idempotencyKey === undefined ? undefined : await this.repository.findByKey(userId, idempotencyKey, new Date(now.getTime() - KEY_MS));
    if (earlier !== undefined) {
      if (earlier.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
      return { view: await this.get(caller, earlier.id), isReplay: true };
    }
    const { rows } = await this.examine(caller, command);
    this.refuseWithoutPayment(caller);
    const experiment = Object.assign(new Experiment(), {
      id: newId('exp', now), userId, keyId, datasetId: command.datasetId, name: command.name, spec: command.spec, state: 'running' as const, reason: null, reasonDetail: null, rowCount: rows, nextNo: 0, open: 0, deals: 0, done: 0, failed: 0,
      cost: Money.zero, charge: Money.zero, maxCost: command.maxCost ?? Money.zero, parallel: command.parallel, dealtAt: null, summary: null, erasedTo: null, idempotencyKey: idempotencyKey ?? null, fingerprint: idempotencyKey === undefined ? null : fingerprint, createdAt: now, finishedAt: null,
    });
    await this.repository.inTransaction(async (tx) => {
      await this.refuseTooMany(tx, userId);
      await this.datasets.hold(tx, userId, command.datasetId);
      await this.repository.insert(tx, experiment);
    });
    this.worker.wake();
    return { view: this.viewOf({ ...experiment, running: 0, held: Money.zero }), isReplay: false };
  }

  /**
   * Refuses everything about an experiment that can be refused before it runs. Returns the number of its rows.
   * @throws ApiError not_found for the data set, unknown_model, model_not_allowed, invalid_request for an unusable check, a name that a row lacks or too many calls, overloaded
   */
  async examine(caller: Caller, { datasetId, command, spec: { limit } }: ExperimentCommand): Promise<{ rows: number }> {
    const dataset = await this.datasets.find(caller.userId, datasetId);
    const rows = Math.min(limit ?? dataset.rowCount, dataset.rowCount);
    const calls = rows * command.models.length * command.samples;
    if (calls > this.config.EXPERIMENT_MAX_CALLS) throw new ApiError('invalid_request', { message: `${rows} rows, ${command.models.length} models and ${command.samples} samples are ${calls} model calls; at most ${this.config.EXPERIMENT_MAX_CALLS} are possible. limit takes fewer rows.`, param: 'limit' });
    // As a compare without an input.
    await this.admission.admit(caller, command, this.clock.now());
    await this.refuseMissingNames(datasetId, command.prompt, { rows, columns: dataset.columns });
    return { rows };
  }

  /** One page of the caller's experiments, newest first. */
  async list({ userId }: Caller, limit: number, after: string | undefined): Promise<Page<ExperimentView>> {
    const page = paginate(await this.repository.page(userId, limit + 1, after), limit, ({ id }) => id);
    return { ...page, items: page.items.map((experiment) => this.viewOf(experiment)) };
  }

  /** @throws ApiError not_found, also for a malformed id and for an experiment of another user */
  async get(caller: Pick<Caller, 'userId'>, id: string): Promise<ExperimentView> {
    return this.viewOf(await this.find(caller, id));
  }

  /** The experiment itself. @throws ApiError not_found as `get` does */
  async find({ userId }: Pick<Caller, 'userId'>, id: string): Promise<ExperimentWithHeld> {
    const experiment = isId('exp', id) ? await this.repository.find(userId, id) : undefined;
    if (experiment === undefined) throw experimentNotFound();
    return experiment;
  }

  /** Pauses, resumes, cancels, raises or lowers the cap, or retries what failed; all of it or nothing. @throws ApiError not_found, conflict, rate_limited */
  async change(caller: Caller, id: string, { state, max_cost_usd: cap, retry }: ChangeExperimentRequest): Promise<ExperimentView> {
    if (!isId('exp', id)) throw experimentNotFound();
    await this.repository.inTransaction(async (tx) => {
      const experiment = await this.repository.lock(tx, caller.userId, id);
      if (experiment === null) throw experimentNotFound();
      if (isErased(experiment)) throw conflict('This experiment was erased.');
      if (cap !== undefined) await this.changeCap(tx, experiment, Money.fromNumber(cap));
      if (retry !== undefined) await this.retry(tx, experiment, retry);
      if (state === 'paused') pause(experiment);
      if (state === 'running') await this.resume(tx, experiment);
      if (state === CANCELED) await this.cancel(tx, experiment);
    });
    this.worker.wake();
    return this.get(caller, id);
  }

  private async changeCap(tx: Tx, experiment: Experiment, cap: Money): Promise<void> {
    if (hasEnded(experiment) && experiment.state !== 'finished') throw conflict('This experiment was canceled; its cap cannot change.');
    const { held } = await this.repository.held(tx, experiment.id);
    const least = experiment.cost.plus(Money.of(String(held)));
    if (cap.compare(least) < 0) throw conflict(`max_cost_usd must be at least ${least.toString()}: that is what was spent, and what the running rows can cost.`);
    const isRaised = cap.compare(experiment.maxCost) > 0;
    experiment.maxCost = cap;
    if (isRaised && experiment.state === 'paused' && experiment.reason === 'cap_reached') await this.resume(tx, experiment, true);
  }

  private async resume(tx: Tx, experiment: Experiment, hasRoom = false): Promise<void> {
    if (experiment.state === 'running') return;
    if (experiment.state !== 'paused') throw conflict(`This experiment has ended (${experiment.state}).`);
    if (experiment.reason === 'cap_reached' && !hasRoom) throw conflict('This experiment has reached its cap; a higher max_cost_usd lets it go on.');
    await this.refuseTooMany(tx, experiment.userId, true);
    Object.assign(experiment, { state: 'running', reason: null, reasonDetail: null });
  }

  /** Other words in braces stay as they are: only names that some rows have are missing in the others. */
  private async refuseMissingNames(datasetId: string, prompt: string, { rows, columns }: { rows: number; columns: readonly string[] }): Promise<void> {
    for (const name of namesIn(prompt)) {
      if (name !== 'input' && (MEMBERS.has(name) || !columns.includes(name))) continue;
      const row = await this.datasets.firstWithout(datasetId, name, rows);
      if (row !== undefined) throw new ApiError('invalid_request', { message: `The prompt contains {${name}}, which row ${row.rowId} (line ${row.line}) does not have.`, param: 'prompt' });
    }
  }

  /** What runs ends and is charged. */
  private async cancel(tx: Tx, experiment: Experiment): Promise<void> {
    if (experiment.state === CANCELED) return;
    if (experiment.state === 'finished') throw conflict('This experiment has finished.');
    experiment.open -= await this.repository.dropWaiting(tx, experiment.id);
    Object.assign(experiment, { state: CANCELED, reason: null, reasonDetail: null, finishedAt: this.clock.now() });
  }

  private async retry(tx: Tx, experiment: Experiment, which: 'failed' | 'missing'): Promise<void> {
    if (experiment.state === CANCELED) throw conflict('This experiment was canceled.');
    await this.datasets.hold(tx, experiment.userId, experiment.datasetId).catch(() => { throw conflict('The data set of this experiment was deleted.'); });
    const missing = which === 'missing' ? await this.repository.takeMissing(tx, experiment.id) : [];
    const now = this.clock.now();
    if (missing.length > 0) await this.repository.addAttempts(tx, experiment.id, missing.map((row) => ({ ...row, evalId: newId('eval', now) })), now);
    const { rows, first } = await this.repository.retryFailed(tx, experiment.id);
    const added = rows + missing.length;
    if (added === 0) return;
    experiment.open += added;
    experiment.failed -= first;
    experiment.summary = null;
    if (experiment.state !== 'finished') return;
    await this.refuseTooMany(tx, experiment.userId, true);
    Object.assign(experiment, { state: 'running', finishedAt: null });
  }

  private refuseWithoutPayment({ hasPaymentMethod }: Caller): void {
    if (this.config.BILLING_ENFORCEMENT === 'require_payment_method' && !hasPaymentMethod) throw new ApiError('payment_required', { message: 'Experiments are not free and no payment method is on file.' });
  }

  /** @throws ApiError rate_limited */
  private async refuseTooMany(tx: Tx, userId: string, isResumed = false): Promise<void> {
    const { running, today } = await this.repository.countStarted(tx, userId, new Date(this.clock.now().getTime() - DAY_MS));
    if (running >= MAX_RUNNING) throw new ApiError('rate_limited', { message: `${MAX_RUNNING} experiments of this user run already; wait until one ends, or pause one.`, retryAfterSeconds: 60 });
    if (!isResumed && today >= MAX_A_DAY) throw new ApiError('rate_limited', { message: `This user has started ${MAX_A_DAY} experiments within 24 hours.`, retryAfterSeconds: 3600 });
  }

  private viewOf(experiment: ExperimentWithHeld): ExperimentView {
    const { spec, running, open, maxCost } = experiment;
    return {
      experiment,
      command: readCommand(spec.command),
      running,
      waiting: experiment.state === CANCELED ? 0 : Math.max(0, open - running),
      maxCharge: this.billing.chargeOf(maxCost, false),
      etaSeconds: this.etaOf(experiment),
    };
  }

  private etaOf({ state, done, failed, rowCount, createdAt }: Experiment): number | null {
    const ended = done + failed;
    if (state !== 'running' || ended < MIN_ROWS_OF_ETA) return null;
    const seconds = (this.clock.now().getTime() - createdAt.getTime()) / 1000;
    return Math.ceil((seconds / ended) * Math.max(0, rowCount - ended));
  }
}

type Tx = Parameters<ExperimentsRepository['lock']>[0];

function pause(experiment: Experiment): void {
  if (hasEnded(experiment)) throw conflict(`This experiment has ended (${experiment.state}).`);
  if (experiment.state === 'running') Object.assign(experiment, { state: 'paused', reason: 'by_user' satisfies PauseReason, reasonDetail: null });
}

function hasEnded({ state }: Experiment): boolean {
  return state === 'finished' || state === CANCELED;
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message });
}

/** The answer about an experiment that the user does not have. */
export function experimentNotFound(): ApiError {
  return new ApiError('not_found', { message: 'No experiment with this id exists.' });
}
