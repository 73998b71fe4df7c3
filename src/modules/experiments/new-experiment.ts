import { createHash } from 'node:crypto';
import type { Caller } from '../auth/caller';
import { newId } from '../../common/ids';
import { Money } from '../../common/money';
import { Experiment } from './experiment.entity';
import type { ExperimentCommand } from './experiment.types';

/** An experiment that begins to run. */
export function newExperiment(
  { userId, keyId }: Caller,
  { datasetId, name, spec, maxCost = Money.zero, parallel }: ExperimentCommand,
  rowCount: number,
  createdAt: Date,
): Experiment {
  return Object.assign(new Experiment(), {
    id: newId('exp', createdAt),
    userId,
    keyId,
    datasetId,
    judgeOf: spec.judge?.of ?? null,
    name,
    spec,
    state: 'running' as const,
    reason: null,
    reasonDetail: null,
    rowCount,
    nextNo: 0,
    open: 0,
    deals: 0,
    done: 0,
    failed: 0,
    cost: Money.zero,
    charge: Money.zero,
    maxCost,
    parallel,
    dealtAt: null,
    startedAt: null,
    summary: null,
    decision: null,
    erasedTo: null,
    idempotencyKey: null,
    fingerprint: null,
    createdAt,
    finishedAt: null,
  });
}

/** A hash of a request, by which a repeated one is known. */
export function fingerprintOf({ name, datasetId, spec, maxCost, parallel }: ExperimentCommand): string {
  return createHash('sha256')
    .update(JSON.stringify([name, datasetId, spec, maxCost?.toString(), parallel]))
    .digest('hex');
}
