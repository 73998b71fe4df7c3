import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import { Money } from '../../common/money';
import { Config } from '../../config/config';
import { DatasetsService } from '../../datasets/datasets.service';
import type { CompareCommand } from '../../execution/compare.types';
import { fillPrompt } from '../../execution/prompt';
import { quotesFor, totalMaxCost } from '../../execution/quote';
import { ModelsService } from '../../models/models.service';
import { readCommand } from '../../runs/job-command';
import { JobWorkerService } from '../../runs/job-worker.service';
import type { WorkSource } from '../../runs/work-source';
import type { DealingExperiment, DealtRow, NumberedRow, RowTexts } from '../experiment.types';
import { rowCommand } from '../row-command';
import { HeldRow, type RowOwner } from './held-row';
import { RowAttemptService } from './row-attempt.service';
import { RowsRepository, type WaitingRow } from './rows.repository';

/** How often this process looks for rows of dead processes, in milliseconds. */
const LAPSED_INTERVAL_MS = 1000;

const NO_TEXTS: RowTexts = { rowId: '', input: null, expected: null, group: null, variables: null, checks: null };

/** A row that can be dealt next, and what it can cost at most. */
interface Priced {
  texts: NumberedRow;
  waiting: WaitingRow | undefined;
  maxCost: Money;
}

/** Deals the rows of experiments to the free slots of this process. */
@Injectable()
export class DealerService implements WorkSource<HeldRow>, OnModuleInit {
  private lookedAtMs = -Infinity;

  constructor(
    private readonly rows: RowsRepository,
    private readonly attempts: RowAttemptService,
    private readonly datasets: DatasetsService,
    private readonly models: ModelsService,
    private readonly worker: JobWorkerService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.worker.addSource(this);
  }

  async claim(limit: number): Promise<HeldRow[] | undefined> {
    const held = await this.claimLapsed(limit);
    const limits = this.attempts.pace.limits;
    while (held.length < limit) {
      const experiment = await this.rows.next(limits);
      if (experiment === undefined) break;
      const free = Math.max(1, Math.floor((limit - held.length) / experiment.candidates));
      held.push(...await this.dealFrom(experiment, Math.min(free, experiment.parallel - experiment.running)));
      if (experiment.candidates === 1) break;
      // Each has its turn once in a round: one whose next row does not fit under its cap now would else be next again.
      limits[experiment.id] = 0;
    }
    return held.length > 0 || await this.rows.hasUnfinished() ? held : undefined;
  }

  run(row: HeldRow, isStopping: () => boolean): Promise<void> {
    return this.attempts.run(row, isStopping);
  }

  renew(held: readonly HeldRow[]): Promise<void> {
    return this.rows.renew(held.map(({ claim }) => claim), this.config.RESERVATION_TTL_SECONDS);
  }

  putBack(held: readonly HeldRow[]): Promise<void> {
    return this.rows.putBack(held.map(({ claim }) => claim), 0, false);
  }

  /** Deals at most `count` rows of an experiment, as many as fit under its cap; none if another process has dealt from it meanwhile. */
  private async dealFrom(experiment: DealingExperiment, count: number): Promise<HeldRow[]> {
    const { id } = experiment;
    const template = readCommand(experiment.spec.command);
    const now = this.clock.now();
    const candidates = await this.candidates(experiment, count);
    let priced: Priced[];
    try {
      priced = this.thatFit(experiment, candidates.map((row) => ({ ...row, maxCost: this.maxCostOf(template, row, { experimentId: id, at: now }) })));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.rows.pauseUndealt(experiment, { reason: 'model_gone', detail: error.message });
      return [];
    }
    if (priced.length === 0) {
      // Rows that run now may leave room when they end.
      if (candidates.length > 0 && experiment.running === 0) await this.rows.pauseUndealt(experiment, { reason: 'cap_reached', detail: 'The next row could cost more than what is left of max_cost_usd.' });
      return [];
    }
    const [again, first] = [priced.filter(({ waiting }) => waiting !== undefined), priced.filter(({ waiting }) => waiting === undefined)];
    const fresh = first.map(({ texts, maxCost }) => ({ rowNo: texts.no, rowId: texts.rowId, group: texts.group, content: contentOf(texts), evalId: newId('eval', now), maxCost }));
    const waiting = again.flatMap(({ waiting: row, maxCost }) => (row === undefined ? [] : [{ ...row, maxCost }]));
    if (!(await this.rows.deal(experiment, { fresh, again: waiting }, now, this.config.RESERVATION_TTL_SECONDS))) return [];
    const owner: RowOwner = { ...experiment, state: 'running' };
    const dealt: DealtRow[] = [
      ...waiting.map((row) => ({ ...row, experimentId: id, fence: row.fence + 1 })),
      ...fresh.map(({ rowNo, evalId, maxCost }) => ({ experimentId: id, rowNo, attempt: 1, fence: 1, evalId, maxCost, createdAt: now, models: null, retries: 0 })),
    ];
    const texts = new Map(candidates.map((row) => [row.texts.no, row.texts]));
    return dealt.map((row) => this.hold(row, texts.get(row.rowNo) ?? NO_TEXTS, owner));
  }

  /** Rows that wait come first, then the next ones of the data set. */
  private async candidates({ id, datasetId, nextNo, rowCount, hasWaiting }: DealingExperiment, count: number): Promise<Omit<Priced, 'maxCost'>[]> {
    const waiting = hasWaiting ? await this.rows.waiting(id, count) : [];
    const fresh = Math.min(count - waiting.length, rowCount - nextNo);
    const texts = fresh > 0 ? await this.datasets.readRows(datasetId, nextNo, fresh) : [];
    const again = await Promise.all(waiting.map(async (row) => (await this.datasets.readRows(datasetId, row.rowNo, 1)).map((one) => ({ texts: one, waiting: row }))));
    return [...again.flat(), ...texts.map((one) => ({ texts: one, waiting: undefined }))];
  }

  /** The first rows that fit under the cap together with what runs. */
  private thatFit({ cost, held, maxCost: cap }: DealingExperiment, rows: readonly Priced[]): Priced[] {
    let sum = cost.plus(held);
    const end = rows.findIndex(({ maxCost }) => (sum = sum.plus(maxCost)).compare(cap) > 0);
    return rows.slice(0, end < 0 ? rows.length : end);
  }

  /** The most that a row can cost at an instant; 0 for a row that cannot run, which fails when it is begun. @throws ApiError unknown_model */
  private maxCostOf(template: CompareCommand, { texts, waiting }: Omit<Priced, 'maxCost'>, { experimentId, at }: { experimentId: string; at: Date }): Money {
    const ids = waiting?.models ?? template.models;
    const models = this.models.require(ids, at);
    const command = commandOrNone(template, texts, { experimentId, models: ids });
    return command === undefined ? Money.zero : totalMaxCost(quotesFor(models, promptOf(command), command.options), command.samples);
  }

  private async claimLapsed(limit: number): Promise<HeldRow[]> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.lookedAtMs < LAPSED_INTERVAL_MS) return [];
    this.lookedAtMs = nowMs;
    const lapsed = await this.rows.claimLapsed(limit, this.config.RESERVATION_TTL_SECONDS);
    return Promise.all(lapsed.map(async ({ userId, keyId, datasetId, state, spec, parallel, ...row }) => {
      // The data set of an experiment that has ended may be gone; then the row is not run.
      const [texts = NO_TEXTS] = await this.datasets.readRows(datasetId, row.rowNo, 1);
      return this.hold(row, texts, { userId, keyId, state, spec, parallel });
    }));
  }

  private hold(row: DealtRow, texts: RowTexts, owner: RowOwner): HeldRow {
    return new HeldRow(row, texts, owner, (...ended) => this.attempts.end(...ended));
  }
}

function commandOrNone(template: CompareCommand, texts: RowTexts, terms: { experimentId: string; models: string[] }): CompareCommand | undefined {
  try {
    return rowCommand(template, texts, terms);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function promptOf({ prompt, input }: CompareCommand): string {
  return input === undefined ? prompt : fillPrompt(prompt, input).text;
}

/** Tells equal rows of two data sets. */
function contentOf({ input, expected, variables }: RowTexts): string {
  const named = Object.entries(variables ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(JSON.stringify([input, expected, named])).digest('hex').slice(0, 16);
}
