import type { Check } from '../checks/types';
import type { Money } from '../common/money';
import type { CompareCommand } from '../execution/compare.types';
import type { StoredCommand } from '../runs/job-command';
import type { Experiment } from './experiment.entity';
import type { ExperimentRow } from './experiment-row.entity';

/** What an experiment asks of every row. */
export interface ExperimentSpec {
  /** The template of the commands, with every default filled in. */
  command: StoredCommand;
  /** The options as the caller wrote them. */
  options: object | undefined;
  /** The number of rows that the caller asked for; null for all of the data set. */
  limit: number | null;
}

/** The texts of a row of a data set. */
export interface RowTexts {
  rowId: string;
  input: string | null;
  expected: string | null;
  group: string | null;
  variables: Readonly<Record<string, string>> | null;
  checks: readonly Check[] | null;
}

/** A row of a data set with its number in the drawn order. */
export interface NumberedRow extends RowTexts {
  no: number;
}

/** An attempt of a row. */
export interface RowKey {
  experimentId: string;
  rowNo: number;
  attempt: number;
}

/** An attempt of a row with this claim of it. */
export interface RowClaim extends RowKey {
  fence: number;
}

/** A row that is dealt: what its holder needs beside the texts. */
export interface DealtRow extends RowClaim, Pick<ExperimentRow, 'evalId' | 'createdAt' | 'maxCost' | 'models' | 'retries'> {}

/** What dealing needs of an experiment. */
export interface DealingExperiment extends Pick<Experiment, 'id' | 'userId' | 'keyId' | 'datasetId' | 'spec' | 'nextNo' | 'rowCount' | 'deals' | 'parallel' | 'cost' | 'maxCost'> {
  /** Rows that are dealt, and the most that they can cost together. */
  running: number;
  held: Money;
  /** True if rows wait to be dealt again. */
  hasWaiting: boolean;
  /** The number of experiments with rows to deal. */
  candidates: number;
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

/** What an experiment would cost. */
export interface ExperimentEstimate {
  rows: number;
  calls: number;
  likelyCost: Money;
  mostCost: Money;
  mostCharge: Money;
  fitsCap: boolean | null;
  detectableDifference: number | null;
}
