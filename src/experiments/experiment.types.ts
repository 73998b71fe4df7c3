import type { Check } from '../checks/types';
import type { Money } from '../common/money';
import type { CompareCommand } from '../execution/compare.types';
import type { Experiment } from './experiment.entity';
import type { ExperimentSpec } from './experiment-spec';
import type { ExperimentRow } from './experiment-row.entity';

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

/** A dealt row, with what its holder needs beside the texts. */
export interface DealtRow extends RowClaim, Pick<ExperimentRow, 'evalId' | 'createdAt' | 'maxCost' | 'models' | 'retries'> {}

/** The part of an experiment that dealing needs. */
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
