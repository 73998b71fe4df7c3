import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Money } from '../common/money';
import { DatasetsService } from '../datasets/datasets.service';
import { ExamineExperimentService } from './examine-experiment.service';
import { Experiment } from './experiment.entity';
import type { ExperimentCommand } from './experiment.types';
import { ExperimentsRepository } from './experiments.repository';
import { refuseTooMany } from './refuse-too-many';

const DAY_MS = 86_400_000;

/** Starts experiments. */
@Injectable()
export class StartExperimentService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly examination: ExamineExperimentService,
    private readonly datasets: DatasetsService,
    private readonly clock: Clock,
  ) {
    datasets.isUsed = (id) => repository.usesDataset(id);
  }

  /**
   * Starts an experiment and returns its id. The same Idempotency-Key and request give the same experiment for 24 hours.
   * @throws ApiError what `ExamineExperimentService` refuses, payment_required, idempotency_key_reused, rate_limited
   */
  async start(caller: Caller, command: ExperimentCommand, idempotencyKey: string | undefined): Promise<{ id: string; isReplay: boolean }> {
    const fingerprint = fingerprintOf(command);
    const earlier = await this.findReplay(caller, idempotencyKey, fingerprint);
    if (earlier !== undefined) return { id: earlier, isReplay: true };
    const { rows } = await this.examination.examine(caller, command);
    this.examination.refuseWithoutPayment(caller);
    const experiment = this.newExperiment(caller, command, rows);
    if (idempotencyKey !== undefined) Object.assign(experiment, { idempotencyKey, fingerprint });
    return this.repository.inTransaction(async (tx) => {
      const started = await this.repository.countStarted(tx, caller.userId, this.dayAgo());
      // Another request with the same key may have been faster; requests of a user come here one after the other.
      const other = await this.findReplay(caller, idempotencyKey, fingerprint);
      if (other !== undefined) return { id: other, isReplay: true };
      refuseTooMany(started);
      await this.datasets.hold(tx, caller.userId, command.datasetId);
      await this.repository.insert(tx, experiment);
      return { id: experiment.id, isReplay: false };
    });
  }

  private async findReplay({ userId }: Caller, key: string | undefined, fingerprint: string): Promise<string | undefined> {
    const earlier = key === undefined ? undefined : await this.repository.findByKey(userId, key, this.dayAgo());
    if (earlier !== undefined && earlier.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    return earlier?.id;
  }

  private newExperiment({ userId, keyId }: Caller, { datasetId, name, spec, maxCost = Money.zero, parallel }: ExperimentCommand, rowCount: number): Experiment {
    const createdAt = this.clock.now();
    return Object.assign(new Experiment(), {
      id: newId('exp', createdAt), userId, keyId, datasetId, name, spec, state: 'running' as const, reason: null, reasonDetail: null, rowCount, nextNo: 0, open: 0, deals: 0, done: 0, failed: 0,
      cost: Money.zero, charge: Money.zero, maxCost, parallel, dealtAt: null, summary: null, erasedTo: null, idempotencyKey: null, fingerprint: null, createdAt, finishedAt: null,
    });
  }

  private dayAgo(): Date {
    return new Date(this.clock.now().getTime() - DAY_MS);
  }
}

function fingerprintOf({ name, datasetId, spec, maxCost, parallel }: ExperimentCommand): string {
  return createHash('sha256').update(JSON.stringify([name, datasetId, spec, maxCost?.toString(), parallel])).digest('hex');
}
