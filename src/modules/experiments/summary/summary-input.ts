import type { Clusters } from '../../statistics/clustered';
import { allPassRate, anyPassRate } from '../../statistics/pass-rates';
import { FIGURE_INDEX, figuresWidth } from './figures';

/** A row of an experiment with the encoded figures of its models; null where the row failed. */
export interface FiguresRow {
  group: string | null;
  figures: ArrayLike<number> | null;
}

const COUNTS = [
  'answered',
  'failed',
  'decided',
  'timeouts',
  'cost',
  'cut',
  'temperatureIgnored',
  'cachedInputTokens',
  'inputTokens',
] as const;
const SHARES = ['rows', 'costWithoutCache', 'modalShares', 'completeRows', 'allPassed', 'anyPassed'] as const;

/**
 * Sums over the rows of one model: of counts, and of means over the samples of a row. `rows` have an answer; in
 * complete ones all samples are decided.
 */
export type ModelSums = Record<(typeof COUNTS)[number] | (typeof SHARES)[number], number>;

/** A figure of a model in each row that is compared with the figures of others. */
export type RowFigure = 'passed' | 'score' | 'latencyMs' | 'cost' | 'outputTokens';
/** Of all calls, failed ones included: mean cost, and the share that passed. */
type CallFigure = 'costPerCall' | 'passedPerCall';
const ROW_FIGURES: readonly (RowFigure | CallFigure)[] = [
  'passed',
  'score',
  'latencyMs',
  'cost',
  'outputTokens',
  'costPerCall',
  'passedPerCall',
];

/**
 * The figures of one model: one value a row, NaN where it is missing. Shares and means are over the samples of a row,
 * so each row counts once.
 */
export interface ModelColumns {
  model: string;
  rows: Record<RowFigure | CallFigure, Float64Array>;
  /** The share of decided samples that passed, for each check. */
  checks: Float32Array[];
  sums: ModelSums;
}

/** The figures of an experiment in columns. Threads share their memory, so a task with them copies nothing. */
export interface ExperimentColumns {
  models: ModelColumns[];
  checkNames: readonly string[];
  samples: number;
  rowCount: number;
  /** The number of different groups; 0 where each row is a cluster. */
  groupCount: number;
  clusters: Clusters & { of: Int32Array };
  /** Of pairs of answers: the columns of two models against each other, by their positions such as `0 1`. */
  duels?: ReadonlyMap<string, [Float64Array, Float64Array]>;
}

/** The models and checks of an experiment, and the maximum number of rows to be added. */
export interface SummaryInputOptions {
  models: readonly string[];
  checkNames: readonly string[];
  samples: number;
  capacity: number;
}

/** Collects the figures of an experiment, page by page. */
export class SummaryInput {
  private readonly groups = new Map<string, number>();
  private readonly clusterOf: Int32Array;
  private readonly models: ModelColumns[];
  private rowCount = 0;
  private clusterCount = 0;

  constructor(private readonly options: SummaryInputOptions) {
    const { models, checkNames, capacity } = options;
    this.clusterOf = new Int32Array(new SharedArrayBuffer(4 * capacity));
    const column = () => new Float64Array(new SharedArrayBuffer(8 * capacity)).fill(NaN);
    this.models = models.map((model) => ({
      model,
      rows: Object.fromEntries(ROW_FIGURES.map((figure) => [figure, column()])) as ModelColumns['rows'],
      checks: checkNames.map(() => new Float32Array(new SharedArrayBuffer(4 * capacity)).fill(NaN)),
      sums: Object.fromEntries([...COUNTS, ...SHARES].map((name) => [name, 0])) as ModelSums,
    }));
  }

  /** Adds rows in their order. @throws RangeError above the capacity or for figures of another experiment */
  add(page: readonly FiguresRow[]): void {
    if (this.rowCount + page.length > this.options.capacity)
      throw new RangeError('There are more rows than the summary has room for.');
    for (const { group, figures } of page) {
      this.clusterOf[this.rowCount] = this.clusterNumber(group);
      if (figures !== null) this.addRow(figures);
      this.rowCount++;
    }
  }

  /** The columns of the rows that were added. */
  columns(): ExperimentColumns {
    const {
      rowCount,
      groups,
      clusterCount,
      options: { checkNames, samples },
    } = this;
    const models = this.models.map(({ model, rows, checks, sums }) => ({
      model,
      sums: { ...sums },
      checks: checks.map((column) => column.subarray(0, rowCount)),
      rows: Object.fromEntries(
        ROW_FIGURES.map((figure) => [figure, rows[figure].subarray(0, rowCount)]),
      ) as ModelColumns['rows'],
    }));
    return {
      models,
      checkNames,
      samples,
      rowCount,
      groupCount: groups.size,
      clusters: { of: this.clusterOf.subarray(0, rowCount), count: clusterCount },
    };
  }

  private clusterNumber(group: string | null): number {
    const known = group === null ? undefined : this.groups.get(group);
    if (known !== undefined) return known;
    if (group !== null) this.groups.set(group, this.clusterCount);
    return this.clusterCount++;
  }

  private addRow(figures: ArrayLike<number>): void {
    const {
      models,
      options: { checkNames },
    } = this;
    const width = figuresWidth(checkNames.length);
    if (figures.length !== models.length * width)
      throw new RangeError(`These are not the figures of ${models.length} models with ${checkNames.length} checks.`);
    for (const [index, model] of models.entries()) this.addModel(model, figures, index * width);
  }

  /**
   * Adds the figures of a model, which begin at `start`. Pages are read on the event loop, so nothing is decoded into
   * objects.
   */
  private addModel({ rows, checks, sums }: ModelColumns, figures: ArrayLike<number>, start: number): void {
    const at = (index: number) => figures[start + index] ?? NaN;
    const [row, answered, decided, passed] = [
      this.rowCount,
      at(FIGURE_INDEX.answered),
      at(FIGURE_INDEX.decided),
      at(FIGURE_INDEX.passed),
    ];
    rows.passed[row] = passed / decided;
    rows.score[row] = at(FIGURE_INDEX.score);
    rows.latencyMs[row] = at(FIGURE_INDEX.latencyMs);
    rows.cost[row] = answered > 0 ? at(FIGURE_INDEX.cost) / answered : NaN;
    rows.outputTokens[row] = at(FIGURE_INDEX.outputTokens);
    // Without a call they are 0 / 0: missing.
    const calls = answered + at(FIGURE_INDEX.failed);
    rows.costPerCall[row] = at(FIGURE_INDEX.cost) / calls;
    rows.passedPerCall[row] = passed / calls;
    for (const [index, column] of checks.entries())
      column[row] = at(FIGURE_INDEX.checks + 2 * index + 1) / at(FIGURE_INDEX.checks + 2 * index);
    for (const member of COUNTS) sums[member] += at(FIGURE_INDEX[member]);
    if (answered > 0) {
      sums.rows++;
      sums.costWithoutCache += at(FIGURE_INDEX.costWithoutCache) / answered;
      sums.modalShares += at(FIGURE_INDEX.modal) / answered;
    }
    this.addComplete(sums, passed, decided);
  }

  private addComplete(sums: ModelSums, passed: number, decided: number): void {
    const { samples } = this.options;
    if (decided < samples) return;
    sums.completeRows++;
    sums.allPassed += allPassRate(passed, decided, samples);
    sums.anyPassed += anyPassRate(passed, decided, samples);
  }
}
