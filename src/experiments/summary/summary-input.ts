import type { Clusters } from '../../statistics/clustered';
import { allPassRate, anyPassRate } from '../../statistics/pass-rates';
import { decodeFigures, type ModelFigures } from './figures';

/** A row of an experiment with the encoded figures of its models; null where the row failed. */
export interface FiguresRow {
  group: string | null;
  figures: ArrayLike<number> | null;
}

const COUNTS = ['answered', 'failed', 'decided', 'timeouts', 'cost', 'cut', 'temperatureIgnored', 'cachedInputTokens', 'inputTokens'] as const;
const SHARES = ['rows', 'costWithoutCache', 'modalShares', 'completeRows', 'allPassed', 'anyPassed'] as const;

/** Sums over the rows of one model: of counts, and of means over the samples of a row. `rows` have an answer; in complete ones all samples are decided. */
export type ModelSums = Record<(typeof COUNTS)[number] | (typeof SHARES)[number], number>;

/** A figure of a model in each row that is compared with the figures of others. */
export type RowFigure = 'passed' | 'score' | 'latencyMs' | 'cost' | 'outputTokens';
const ROW_FIGURES: readonly RowFigure[] = ['passed', 'score', 'latencyMs', 'cost', 'outputTokens'];

/** The figures of one model: one value a row, NaN where it is missing. Shares and means are over the samples of a row, so each row counts once. */
export interface ModelColumns {
  model: string;
  rows: Record<RowFigure, Float64Array>;
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
    if (this.rowCount + page.length > this.options.capacity) throw new RangeError('There are more rows than the summary has room for.');
    for (const { group, figures } of page) {
      this.clusterOf[this.rowCount] = this.clusterNumber(group);
      const decoded = figures === null ? [] : decodeFigures(figures, this.models.length, this.options.checkNames.length);
      for (const [index, ofModel] of decoded.entries()) this.addModel(this.models[index], ofModel);
      this.rowCount++;
    }
  }

  /** The columns of the rows that were added. */
  columns(): ExperimentColumns {
    const { rowCount, groups, clusterCount, options: { checkNames, samples } } = this;
    const models = this.models.map(({ model, rows, checks, sums }) => ({
      model, sums: { ...sums }, checks: checks.map((column) => column.subarray(0, rowCount)),
      rows: Object.fromEntries(ROW_FIGURES.map((figure) => [figure, rows[figure].subarray(0, rowCount)])) as ModelColumns['rows'],
    }));
    return { models, checkNames, samples, rowCount, groupCount: groups.size, clusters: { of: this.clusterOf.subarray(0, rowCount), count: clusterCount } };
  }

  private clusterNumber(group: string | null): number {
    const known = group === null ? undefined : this.groups.get(group);
    if (known !== undefined) return known;
    if (group !== null) this.groups.set(group, this.clusterCount);
    return this.clusterCount++;
  }

  private addModel(columns: ModelColumns | undefined, figures: ModelFigures): void {
    if (columns === undefined) return;
    const { rows, checks, sums } = columns;
    const { answered, decided, passed, score, latencyMs, cost, outputTokens } = figures;
    const { samples } = this.options;
    const row = this.rowCount;
    rows.passed[row] = passed / decided;
    rows.score[row] = score;
    rows.latencyMs[row] = latencyMs;
    rows.cost[row] = answered > 0 ? cost / answered : NaN;
    rows.outputTokens[row] = outputTokens;
    for (const [index, check] of figures.checks.entries()) (checks[index] ?? [])[row] = check.passed / check.decided;
    for (const member of COUNTS) sums[member] += figures[member];
    if (answered > 0) {
      sums.rows++;
      sums.costWithoutCache += figures.costWithoutCache / answered;
      sums.modalShares += figures.modal / answered;
    }
    if (decided < samples) return;
    sums.completeRows++;
    sums.allPassed += allPassRate(passed, decided, samples);
    sums.anyPassed += anyPassRate(passed, decided, samples);
  }
}
