import { Injectable } from '@nestjs/common';
import type { ApiError, ErrorCode } from '../../../common/errors';
import { Metrics } from '../../../platform/observability/metrics';
import { AuthService } from '../../auth/auth.service';
import { EvalsService } from '../../evals/evals.service';
import { CompareService } from '../../execution/compare.service';
import { AttemptService, type Requeue } from '../../runs/attempt.service';
import { readCommand } from '../../runs/job-command';
import type { PauseReason } from '../experiment.entity';
import { rowCommand } from '../row-command';
import type { ClaimedRow } from './claimed-row';
import { RowEndsService } from './row-ends.service';

/** Errors that concern every row of the experiment: it pauses with a reason. */
const PAUSING: Partial<Record<ErrorCode, PauseReason>> = {
  unauthorized: 'key_revoked',
  insufficient_scope: 'key_revoked',
  payment_required: 'payment_required',
  spend_limit_reached: 'spend_limit_reached',
  key_spend_limit_reached: 'spend_limit_reached',
  unknown_model: 'model_gone',
  model_not_allowed: 'model_not_allowed',
};

/** Attempts of scheduled rows. */
@Injectable()
export class RowAttemptService extends AttemptService<ClaimedRow> {
  constructor(
    private readonly ends: RowEndsService,
    private readonly compares: CompareService,
    private readonly evals: EvalsService,
    auth: AuthService,
    metrics: Metrics,
  ) {
    super(auth, metrics.experimentRows, {
      kind: 'row',
      scope: 'experiments',
      key: 'that pays for this experiment',
      consequence: '',
    });
  }

  /**
   * Of an experiment that does not run any more: the eval of a dead process may be stored; if not, nothing more is
   * called.
   */
  protected override async settle(row: ClaimedRow): Promise<string | undefined> {
    if (row.owner.state === 'running') return undefined;
    const stored = await this.evals.find(row, row.evalId);
    if (stored === undefined) await this.ends.requeue(row, 0, false);
    else await row.markStored(stored);
    return stored === undefined ? 'waiting' : 'done';
  }

  protected async compare(row: ClaimedRow): Promise<string> {
    const { owner, texts, row: options } = row;
    const command = rowCommand(readCommand(owner.spec.command), texts, options);
    await this.compares.compare(await this.callerOf(row), command, { lock: row });
    return 'done';
  }

  protected async requeue(
    row: ClaimedRow,
    { code, message }: ApiError,
    requeue: Requeue | undefined,
  ): Promise<string | undefined> {
    const reason = PAUSING[code];
    if (reason !== undefined) await this.ends.pause(row, { reason, detail: message });
    // Too dear since it was scheduled: it is scheduled again at the price of today.
    else if (code === 'max_cost_exceeded') await this.ends.requeue(row, 0, false);
    else if (requeue === undefined) return undefined;
    else await this.ends.requeue(row, requeue.afterSeconds, requeue.countsAsRetry);
    return 'waiting';
  }

  protected fail(row: ClaimedRow, error: ApiError): Promise<void> {
    return this.ends.fail(row, error);
  }
}
