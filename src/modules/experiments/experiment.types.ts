import type { Money } from '../../common/money';
import type { StoredRow } from '../datasets/dataset-row.entity';
import type { CompareCommand } from '../execution/compare.types';
import type { Experiment, ExperimentSpec } from './experiment.entity';
import type { ExperimentRow } from './experiment-row.entity';

/** The texts of a row of a data set. */
export type RowTexts = Omit<StoredRow, 'no' | 'line'>;

/** An attempt of a row with this claim of it. */
export type RowClaim = Pick<ExperimentRow, 'experimentId' | 'rowNo' | 'attempt' | 'fence'>;

/** A dealt row, with what its holder needs beside the texts. */
export interface ScheduledRow
  extends RowClaim, Pick<ExperimentRow, 'evalId' | 'createdAt' | 'maxCost' | 'models' | 'retries'> {}

/** The part of an experiment that scheduling needs. */
export interface SchedulingExperiment extends Pick<
  Experiment,
  'id' | 'userId' | 'keyId' | 'datasetId' | 'spec' | 'nextNo' | 'rowCount' | 'deals' | 'parallel' | 'cost' | 'maxCost'
> {
  /** Rows that are dealt, and the most that they can cost together. */
  running: number;
  held: Money;
  /** True if rows wait to be dealt again. */
  hasWaiting: boolean;
  /** The number of experiments with rows to schedule. */
  candidates: number;
}

/** A cost in USD with its interval of 95 %. */
export interface Projected {
  usd: number;
  ci: [low: number, high: number];
}

/** An experiment with its progress, as its user sees it. */
export interface ExperimentView {
  experiment: Experiment;
  /** The template of its rows; without texts once erased. */
  command: CompareCommand;
  running: number;
  waiting: number;
  maxCharge: Money;
  etaSeconds: number | null;
  projectedCost: Projected | null;
}

/** An experiment as the caller asked for it. */
export interface ExperimentCommand {
  name: string | null;
  datasetId: string;
  /** The template of the rows' commands. */
  command: CompareCommand;
  spec: ExperimentSpec;
  /** Undefined only in an estimate. */
  maxCost: Money | undefined;
  parallel: number;
}
