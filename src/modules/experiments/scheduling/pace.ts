/** The number of rows in a row in which a model fails until its experiment is paused. */
export const MAX_FAILURES_IN_A_ROW = 20;
/** The number of rows without a rate limit after which one more may run at the same time. */
const ROWS_TO_SPEED_UP = 20;

/** The part of a row's end that says something about the vendors. */
export interface RowOutcome {
  /** The models that were asked, and those without an answer. */
  models: readonly string[];
  missing: readonly string[];
  isRateLimited: boolean;
}

interface State {
  parallel: number;
  rowsSince: number;
  failures: Map<string, number>;
}

/**
 * How fast this process runs the rows of each experiment: a rate limit of a vendor halves their number, and good rows
 * raise it by one again.
 */
export class Pace {
  private readonly states = new Map<string, State>();

  /** The lower limits of rows that run at the same time, by experiment. */
  get limits(): Record<string, number> {
    return Object.fromEntries(Array.from(this.states, ([id, { parallel }]) => [id, parallel]));
  }

  /**
   * Counts a row of an experiment that may run `parallel` rows. Returns the model that has failed in too many rows in a
   * row, if one has.
   */
  count(experimentId: string, parallel: number, { models, missing, isRateLimited }: RowOutcome): string | undefined {
    const state = this.states.get(experimentId) ?? { parallel, rowsSince: 0, failures: new Map<string, number>() };
    this.states.set(experimentId, state);
    if (isRateLimited) Object.assign(state, { parallel: Math.max(1, Math.floor(state.parallel / 2)), rowsSince: 0 });
    else if (++state.rowsSince >= ROWS_TO_SPEED_UP)
      Object.assign(state, { parallel: Math.min(parallel, state.parallel + 1), rowsSince: 0 });
    for (const model of models)
      state.failures.set(model, missing.includes(model) ? (state.failures.get(model) ?? 0) + 1 : 0);
    return models.find((model) => (state.failures.get(model) ?? 0) >= MAX_FAILURES_IN_A_ROW);
  }

  /** Forgets an experiment that does not run any more. */
  forget(experimentId: string): void {
    this.states.delete(experimentId);
  }
}
