import type { CompareEvent, Eval, RunResult } from '../client/client';

/** What is known of one model of a running compare. */
export interface ModelState {
  model: string;
  text: string;
  result: RunResult | undefined;
}

/** What is known of a running compare. */
export interface WatchState {
  evalId: string | undefined;
  models: ModelState[];
  /** The stored eval, at the end. */
  stored: Eval | undefined;
}

/** Before the first event. */
export function initialState(models: readonly string[]): WatchState {
  return { evalId: undefined, models: models.map((model) => ({ model, text: '', result: undefined })), stored: undefined };
}

/** The state of a stored eval. */
export function stateOf(stored: Eval): WatchState {
  return { evalId: stored.eval_id, models: stored.results.map((result) => ({ model: result.model, text: result.output, result })), stored };
}

/** The state after an event. */
export function after(state: WatchState, event: CompareEvent): WatchState {
  switch (event.event) {
    case 'eval-started': return { ...state, evalId: event.data.eval_id };
    case 'delta': return withModel(state, event.data.model, (model) => ({ ...model, text: model.text + event.data.text }));
    case 'result': return withModel(state, event.data.model, (model) => ({ ...model, text: event.data.output, result: event.data }));
    case 'eval': return stateOf(event.data);
    // Thrown by `eval()`.
    case 'error': return state;
  }
}

function withModel(state: WatchState, model: string, change: (model: ModelState) => ModelState): WatchState {
  return { ...state, models: state.models.map((one) => (one.model === model ? change(one) : one)) };
}
