import { Injectable } from '@nestjs/common';
import type { Actor } from '../../audit/actor';
import { AuditService } from '../../audit/audit.service';
import { facts } from '../../audit/changes';
import { AccountsService } from '../../auth/accounts.service';
import type { Caller } from '../../auth/caller';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { isId } from '../../../common/ids';
import { readCommand } from '../../runs/job-command';
import { isEnded, isErased, type Decision, type Experiment } from '../experiment.entity';
import { ExperimentsRepository } from '../experiments.repository';
import { experimentNotFound } from '../experiments.service';
import { DEFAULT_TOLERANCE } from '../summary/comparison-query.dto';
import { NO_MODEL, type DecisionRequest } from './decision.dto';

/** Keeps what somebody decides after an experiment, in place of an earlier decision. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly accounts: AccountsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError not_found, conflict before the end and after the erasure, invalid_request for another model */
  async decide(
    actor: Actor,
    caller: Caller,
    id: string,
    { model, reason, tolerance = DEFAULT_TOLERANCE }: DecisionRequest,
  ): Promise<Decision> {
    const { name: decidedBy } = await this.accounts.getKey(caller.keyId);
    return this.change(actor, caller, id, (experiment) => {
      if (!isEnded(experiment))
        throw new ApiError('conflict', { message: 'This experiment has not ended; decide when it has.' });
      const models = experiment.spec.judge?.judged ?? readCommand(experiment.spec.command).models;
      if (model !== NO_MODEL && !models.includes(model))
        throw new ApiError('invalid_request', {
          message: `model must be a model of the experiment (${models.join(', ')}) or ${NO_MODEL}.`,
          param: 'model',
        });
      const decidedAt = this.clock.now().toISOString();
      return { model, reason: reason ?? null, tolerance, decidedAt, decidedBy };
    });
  }

  /** Takes a decision back. @throws ApiError not_found, conflict after the erasure */
  async withdraw(actor: Actor, caller: Caller, id: string): Promise<void> {
    await this.change(actor, caller, id, () => null);
  }

  private async change<T extends Decision | null>(
    actor: Actor,
    { userId }: Caller,
    id: string,
    decisionOn: (experiment: Experiment) => T,
  ): Promise<T> {
    if (!isId('exp', id)) throw experimentNotFound();
    return this.audit.change(actor, async (tx) => {
      const experiment = await this.repository.lock(tx, userId, id);
      if (experiment === null) throw experimentNotFound();
      if (isErased(experiment)) throw new ApiError('conflict', { message: 'This experiment was erased.' });
      const [before, decision] = [experiment.decision, decisionOn(experiment)];
      experiment.decision = decision;
      const [action, changes] =
        decision === null
          ? (['experiment.decision_withdrawn', before === null ? {} : facts({ userId })] as const)
          : (['experiment.decided', facts({ userId, model: decision.model })] as const);
      return { value: decision, note: { action, targetType: 'experiment', targetId: id, changes } };
    });
  }
}
