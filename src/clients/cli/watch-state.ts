import type { CompareEvent, Eval, Result, RunResult } from '../client/client';

/** The state of one model of a running compare. */
export interface ModelState {
  model: string;
  text: string;
  result: (RunResult & Pick<Result, 'checks'>) | undefined;
  /** Which of several samples this is, from 1. */
  sample?: number | undefined;
}

/** The state of a running compare. */
export interface WatchState {
  evalId: string | undefined;
  models: ModelState[];
  /** The stored eval, at the end. */
  stored: Eval | undefined;
}

/** Before the first event. */
export function initialState(models: readonly string[]): WatchState {
  return {
    evalId: undefined,
    models: models.map((model) => ({ model, text: '', result: undefined })),
    stored: undefined,
  };
}

/** The state of a stored eval, with one of its samples, counted from 1. */
export function stateOf(stored: Eval, sample = 1): WatchState {
  const count = stored.models.length;
  const results = stored.results.slice((sample - 1) * count, sample * count);
  return {
    evalId: stored.eval_id,
    models: results.map((result) => ({
      model: result.model,
      text: result.output,
      result,
      ...(samplesOf(stored) > 1 && { sample }),
    })),
    stored,
  };
}

/** How often each model was asked. */
export function samplesOf({ results, models }: Eval): number {
  return Math.max(1, Math.round(results.length / models.length));
}

/** The state after an event. */
export function applyEvent(state: WatchState, event: CompareEvent): WatchState {
  switch (event.event) {
    case 'eval-started':
      return { ...state, evalId: event.data.eval_id };
    case 'delta':
      return withModel(state, event.data.model, (model) => withText(model, event.data.text, numberOf(event.data)));
    case 'result':
      return withModel(state, event.data.model, ({ model }) => ({
        model,
        text: event.data.output,
        result: event.data,
        sample: numberOf(event.data),
      }));
    case 'eval':
      return stateOf(event.data);
    // Thrown by `eval()`.
    case 'error':
      return state;
  }
}

/** The first text of a sample replaces the previous answer. */
function withText(model: ModelState, text: string, sample: number | undefined): ModelState {
  return sample === model.sample
    ? { ...model, text: model.text + text }
    : { model: model.model, text, result: undefined, sample };
}

/** People count from 1, the API from 0. */
function numberOf({ sample }: { sample?: number | undefined }): number | undefined {
  return sample === undefined ? undefined : sample + 1;
}

function withModel(state: WatchState, model: string, change: (model: ModelState) => ModelState): WatchState {
  return { ...state, models: state.models.map((one) => (one.model === model ? change(one) : one)) };
}
