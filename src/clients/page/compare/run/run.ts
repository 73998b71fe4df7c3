import type { CompareRequest, Eval, Result, RunResult } from '../../../client/client';
import { timeText } from '../../../client/time-text';
import { factsOf } from '../evaluated';

/** The state of a model: `lost` if the run ended, or was left, without its result. */
export type ColumnPhase = 'waiting' | 'writing' | 'ended' | 'failed' | 'lost';

/** The options of a run that its answers are shown with. */
export type SentOptions = Pick<NonNullable<CompareRequest['options']>, 'max_tokens' | 'reasoning_effort'>;

/** Why a model failed, as far as the service said. */
export interface ColumnError {
  code: string;
  message: string;
  retryable: boolean;
}

/** The state of one answer of a model. */
export interface ColumnState {
  model: string;
  /** Which of the model's answers, from 0; always 0 where it is asked once. */
  sample: number;
  phase: ColumnPhase;
  text: string;
  /** When its first text came, in milliseconds since the run was sent; undefined unless it was watched. */
  firstTextMs?: number | undefined;
  /** Its result, without what only the stored eval knows until that has come. */
  result: RunResult | Result | undefined;
  error: ColumnError | undefined;
}

/** Why a run ended without an eval. */
export interface RunFailure {
  code: string;
  message: string;
}

/** The state of a run: round by round, the models of a round in the order of the request. */
export interface RunState {
  evalId: string | undefined;
  columns: readonly ColumnState[];
  /** The stored eval, once the run has ended well. */
  stored: Eval | undefined;
  failure: RunFailure | undefined;
}

/** A received event of a run. Its members are uncertain, since the service may be older or newer than this page. */
export interface RunEvent {
  event: string;
  data: unknown;
}

/** The state before the first event, for a number of calls of each model. */
export function newRun(models: readonly string[], samples = 1): RunState {
  const columns = Array.from({ length: samples }, (_, sample) =>
    models.map((model) => waitingColumn(model, sample)),
  ).flat();
  return { evalId: undefined, columns, stored: undefined, failure: undefined };
}

/** The state of a stored eval. */
export function runOfEval(stored: Eval): RunState {
  const count = Math.max(1, stored.models.length);
  return {
    evalId: stored.eval_id,
    columns: stored.results.map((result, position) => endedColumn(result, Math.floor(position / count))),
    stored,
    failure: undefined,
  };
}

/**
 * The state after an event, which came `atMs` milliseconds after the run was sent; the same object when the event says
 * nothing to this page.
 */
export function applyEvent(state: RunState, { event, data }: RunEvent, atMs?: number): RunState {
  const facts = factsOf(data);
  switch (event) {
    case 'eval-started':
      return { ...state, evalId: textOf(facts['eval_id']) ?? state.evalId };
    case 'delta':
      return changeColumn(state, facts, (column) => withText(column, textOf(facts['text']) ?? '', atMs));
    case 'result':
      return changeColumn(state, facts, ({ sample }) => endedColumn(data as RunResult, sample));
    case 'eval':
      return Array.isArray(facts['results']) ? runOfEval(data as Eval) : state;
    case 'error':
      return markRunFailed(state, data);
    default:
      return state;
  }
}

/** The state if no more events of the run can arrive. */
export function markRunLost(state: RunState): RunState {
  return { ...state, columns: state.columns.map((column) => (isOpen(column) ? { ...column, phase: 'lost' } : column)) };
}

/** The state after an error body: of an `error` event, or of an answer before the first event. */
export function markRunFailed(state: RunState, body: unknown): RunState {
  const error = factsOf(factsOf(body)['error']);
  const failure = {
    code: textOf(error['code']) ?? 'unknown',
    message: textOf(error['message']) ?? 'The run failed, and the service did not say why.',
  };
  const models = factsOf(error['details'])['models'];
  const reasons = new Map(
    (Array.isArray(models) ? models : []).map((reason) => [
      factsOf(reason)['model'],
      errorOf(factsOf(reason)['error']),
    ]),
  );
  const failed = state.columns.map((column): ColumnState => {
    const reason = reasons.get(column.model);
    return reason === undefined ? column : { ...column, phase: 'failed', error: reason };
  });
  return { ...markRunLost({ ...state, columns: failed }), failure };
}

/** True if a model may still write. */
export function isOpen({ phase }: Pick<ColumnState, 'phase'>): boolean {
  return phase === 'waiting' || phase === 'writing';
}

/** The announcement of a model's end. */
export function endSentence(result: RunResult | Result): string {
  const { model } = result;
  if (result.error !== undefined) return `${model} failed: ${result.error.message}`;
  return `${model} finished, ${timeText(result.latency_ms)}`;
}

function waitingColumn(model: string, sample: number): ColumnState {
  return { model, sample, phase: 'waiting', text: '', result: undefined, error: undefined };
}

function endedColumn(result: RunResult | Result, sample: number): ColumnState {
  const error = errorOf(result.error);
  return {
    model: result.model,
    sample,
    phase: error === undefined ? 'ended' : 'failed',
    text: textOf(result.output) ?? '',
    result,
    error,
  };
}

function withText(column: ColumnState, text: string, atMs: number | undefined): ColumnState {
  return !isOpen(column) || text === ''
    ? column
    : {
        ...column,
        phase: 'writing',
        text: column.text + text,
        firstTextMs: column.text === '' ? atMs : column.firstTextMs,
      };
}

/** An event names its sample only where a model is asked more than once. */
function changeColumn(
  state: RunState,
  { model, sample = 0 }: Record<string, unknown>,
  change: (column: ColumnState) => ColumnState,
): RunState {
  const index = state.columns.findIndex((column) => column.model === model && column.sample === sample);
  return index < 0
    ? state
    : { ...state, columns: state.columns.map((column, each) => (each === index ? change(column) : column)) };
}

function errorOf(value: unknown): ColumnError | undefined {
  if (value === undefined || value === null) return undefined;
  const { code, message, retryable } = factsOf(value);
  return {
    code: textOf(code) ?? 'unknown',
    message: textOf(message) ?? 'The model failed.',
    retryable: retryable === true,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
