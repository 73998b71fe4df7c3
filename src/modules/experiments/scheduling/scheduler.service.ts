import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { newId } from '../../../common/ids';
import type { WorkSource } from '../../runs/work-source';
import type { SchedulingExperiment, ScheduledRow, RowTexts } from '../experiment.types';
import { NO_ROW_TEXTS } from '../row-command';
import { ClaimedRow, type RowOwner } from './claimed-row';
import { PricedRowsService, type PricedRow } from './priced-rows.service';
import { RowAttemptService } from './row-attempt.service';
import { RowEndsService } from './row-ends.service';
import { RowsRepository, type Schedule } from './rows.repository';

/** How often this process looks for rows of dead processes, in milliseconds. */
const EXPIRED_INTERVAL_MS = 1000;

/** Schedules the rows of experiments to the free slots of this process. */
@Injectable()
export class SchedulerService implements WorkSource<ClaimedRow> {
  private readonly log = new Logger(SchedulerService.name);
  private lookedAtMs = -Infinity;

  constructor(
    private readonly rows: RowsRepository,
    private readonly priced: PricedRowsService,
    private readonly attempts: RowAttemptService,
    private readonly ends: RowEndsService,
    private readonly clock: Clock,
  ) {}

  async claim(limit: number): Promise<ClaimedRow[] | undefined> {
    const claimed = await this.claimExpired(limit);
    const { limits } = this.ends;
    while (claimed.length < limit) {
      const experiment = await this.rows.next(limits);
      if (experiment === undefined) break;
      const free = Math.max(1, Math.floor((limit - claimed.length) / experiment.candidates));
      const allowed = limits[experiment.id] ?? experiment.parallel;
      claimed.push(
        ...(await this.scheduleFrom(experiment, Math.min(free, allowed - experiment.running)).catch((err: unknown) =>
          this.skip(experiment, err),
        )),
      );
      if (experiment.candidates === 1) break;
      // Each has its turn once in a round: one whose next row does not fit under its cap now would else be next again.
      limits[experiment.id] = 0;
    }
    return claimed.length > 0 || (await this.rows.hasUnfinished()) ? claimed : undefined;
  }

  async run(row: ClaimedRow, isStopping: () => boolean): Promise<void> {
    await this.attempts.run(row, isStopping);
    this.ends.keepSummaryAfter(row);
  }

  renew(claimed: readonly ClaimedRow[]): Promise<void> {
    return this.rows.renew(claimed.map(({ claim }) => claim));
  }

  requeue(claimed: readonly ClaimedRow[]): Promise<void> {
    return this.rows.requeue(
      claimed.map(({ claim }) => claim),
      0,
      false,
    );
  }

  /** A failure delays only the experiment that has it: the rows of others are scheduled already, or come next. */
  private skip({ id }: SchedulingExperiment, err: unknown): ClaimedRow[] {
    this.log.error({ err }, `No rows of ${id} could be scheduled now`);
    return [];
  }

  /**
   * Schedules at most `count` rows of an experiment, as many as fit under its cap; none if another process has scheduled from
   * it meanwhile.
   */
  private async scheduleFrom(experiment: SchedulingExperiment, count: number): Promise<ClaimedRow[]> {
    const now = this.clock.now();
    const candidates = await this.candidates(experiment, count, now);
    const fitting = thatFit(experiment, candidates);
    if (fitting.length === 0) {
      // Rows that run now may leave room when they end.
      if (candidates.length > 0 && experiment.running === 0)
        await this.ends.pauseUnscheduled(experiment, {
          reason: 'cap_reached',
          detail: 'The next row could cost more than is left of the cap.',
        });
      return [];
    }
    const schedule = scheduleOf(fitting, now);
    if (!(await this.rows.schedule(experiment, schedule, now))) return [];
    const texts = new Map(fitting.map((row) => [row.texts.no, row.texts]));
    return scheduledRows(experiment.id, schedule, now).map((row) =>
      this.toClaimed(row, texts.get(row.rowNo), { ...experiment, state: 'running' }),
    );
  }

  private async candidates(experiment: SchedulingExperiment, count: number, now: Date): Promise<PricedRow[]> {
    try {
      return await this.priced.next(experiment, count, now);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.ends.pauseUnscheduled(experiment, { reason: 'model_gone', detail: error.message });
      return [];
    }
  }

  private async claimExpired(limit: number): Promise<ClaimedRow[]> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.lookedAtMs < EXPIRED_INTERVAL_MS) return [];
    this.lookedAtMs = nowMs;
    const expired = await this.rows.claimExpired(limit);
    // The data set of an experiment that has ended may be gone; then the row is not run.
    return Promise.all(
      expired.map(async ({ datasetId, userId, keyId, state, spec, parallel, ...row }) => {
        const source = { id: row.experimentId, userId, datasetId, spec };
        const [texts] = await this.priced.readRows(source, row.rowNo, 1);
        return this.toClaimed(row, texts, { userId, keyId, state, spec, parallel });
      }),
    );
  }

  private toClaimed(row: ScheduledRow, texts: RowTexts = NO_ROW_TEXTS, owner: RowOwner): ClaimedRow {
    return new ClaimedRow(row, texts, owner, (...ended) => this.ends.succeed(...ended));
  }
}

/** The first rows that fit under the cap together with the running ones. */
function thatFit({ cost, held, maxCost: cap }: SchedulingExperiment, rows: readonly PricedRow[]): PricedRow[] {
  const fitting: PricedRow[] = [];
  let sum = cost.plus(held);
  for (const row of rows) {
    sum = sum.plus(row.maxCost);
    if (sum.compare(cap) > 0) break;
    fitting.push(row);
  }
  return fitting;
}

function scheduleOf(rows: readonly PricedRow[], now: Date): Schedule {
  return {
    fresh: rows.flatMap(({ texts, waiting, maxCost }) =>
      waiting === undefined
        ? [
            {
              rowNo: texts.no,
              rowId: texts.rowId,
              groupId: texts.group,
              content: contentOf(texts),
              evalId: newId('eval', now),
              maxCost,
            },
          ]
        : [],
    ),
    again: rows.flatMap(({ waiting, maxCost }) => (waiting === undefined ? [] : [{ ...waiting, maxCost }])),
  };
}

function scheduledRows(experimentId: string, { fresh, again }: Schedule, now: Date): ScheduledRow[] {
  return [
    ...again.map((row) => ({ ...row, experimentId, fence: row.fence + 1 })),
    ...fresh.map(({ rowNo, evalId, maxCost }) => ({
      experimentId,
      rowNo,
      attempt: 1,
      fence: 1,
      evalId,
      maxCost,
      createdAt: now,
      models: null,
      retries: 0,
    })),
  ];
}

/** A hash of the texts of a row: equal rows of two data sets have the same. */
function contentOf({ input, expected, variables, history }: RowTexts): string {
  const named = Object.entries(variables ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([input, expected, named, ...(history ?? [])]))
    .digest('hex')
    .slice(0, 16);
}
