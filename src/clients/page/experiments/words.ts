import type { Experiment, ExperimentRow, ExperimentSummary } from '../../client/client';
import { rankText } from '../../client/experiment-text';
import { money } from '../compare/answers/figures';
import { groupDigits } from '../compare/limits';

const STATES: Readonly<Record<Experiment['state'], string>> = {
  running: 'running',
  paused: 'paused',
  finished: 'finished',
  erasing: 'being erased',
  erased: 'erased',
  // eslint-disable-next-line local/plain-words -- the word of the interface
  cancelled: 'canceled',
};
const REASONS: Readonly<Record<NonNullable<Experiment['reason']>, string>> = {
  by_user: 'by you',
  cap_reached: 'the cap is reached',
  spend_limit_reached: 'a spend limit is reached',
  payment_required: 'a payment method is needed',
  key_revoked: 'the key may not go on',
  model_gone: 'a model is gone',
  model_not_allowed: 'the key may not call a model',
  failing: 'a model keeps failing',
  waiting_for_answers: 'answers to judge are missing',
};

/** The state in words, such as "paused: the cap is reached". */
export function experimentStateText({ state, reason }: Pick<Experiment, 'state' | 'reason'>): string {
  return reason === null ? STATES[state] : `${STATES[state]}: ${REASONS[reason]}`;
}

/** Its name, or what there is in place of one. */
export function experimentTitle({
  name,
  models,
  judge,
}: Pick<Experiment, 'name' | 'models'> & { judge?: Pick<NonNullable<Experiment['judge']>, 'judged'> | null }): string {
  const names = models.join(', ');
  return name ?? (judge ? `${judge.judged.join(', ')}, judged by ${names}` : `Experiment with ${names}`);
}

/** Items of models in the order of places, as in all parts of an experiment; without places nothing changes. */
export function byPlace<Item>(
  items: readonly Item[],
  ranking: ExperimentSummary['ranking'] | undefined,
  modelOf: (item: Item) => string,
): Item[] {
  const places = new Map(ranking?.models.map(({ model }, place) => [model, place]));
  return items.toSorted(
    (left, right) => (places.get(modelOf(left)) ?? places.size) - (places.get(modelOf(right)) ?? places.size),
  );
}

/** The cost of 1,000 passed answers. */
export function perThousandText(usd: number | string): string {
  return money((1000 * Number(usd)).toFixed(12)).text;
}

/** True if it ended for good, so that its figures are final. */
export function isEnded({ state }: Pick<Experiment, 'state'>): boolean {
  return state !== 'running' && state !== 'paused';
}

/** Such as "about 3 min", rounded up. */
export function timeLeftText(seconds: number | null): string {
  if (seconds === null) return 'not known yet';
  if (seconds < 60) return `about ${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `about ${minutes} min` : `about ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The rows that did not end, by state: "8 running, 2 waiting, 90 to come". */
export function openRowsText({ total, done, failed, running, waiting }: Experiment['rows']): string {
  const counts: readonly (readonly [number, string])[] = [
    [failed, 'failed'],
    [running, 'running'],
    [waiting, 'waiting'],
    [total - done - failed - running - waiting, 'to come'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${groupDigits(count)} ${word}`)
    .join(', ');
}

/** "place 1", or "place 1 to 3". */
export function placeText(rank: { best: number; worst: number }): string {
  return `place ${rankText(rank)}`;
}

/** The outcome of the answers of one model to a row. */
export interface Outcome {
  model: string;
  kind: 'passed' | 'failed' | 'mixed' | 'undecided' | 'missing';
  text: string;
  /** The share of the decided answers that passed; undefined if none was decided. */
  share: number | undefined;
}

/** The outcome of each model with results, in their order. */
export function outcomesOf({ results }: Pick<ExperimentRow, 'results'>): Outcome[] {
  return [...new Set(results.map(({ model }) => model))].map((model) =>
    outcomeOf(
      model,
      results.filter((result) => result.model === model),
    ),
  );
}

/**
 * True if models differ in how many of their answers passed. Missing is not wrong: models without a decided answer are
 * left out.
 */
export function isDiffering(row: Pick<ExperimentRow, 'results'>): boolean {
  return new Set(outcomesOf(row).flatMap(({ share }) => share ?? [])).size > 1;
}

function outcomeOf(model: string, results: ExperimentRow['results']): Outcome {
  const answered = results.filter(({ error }) => error === undefined);
  const decided = answered.flatMap(({ passed }) => passed ?? []);
  if (answered.length === 0) return { model, kind: 'missing', text: 'no answer', share: undefined };
  if (decided.length === 0) return { model, kind: 'undecided', text: 'answered', share: undefined };
  const count = decided.filter((passed) => passed).length;
  const kind = count === decided.length ? 'passed' : count === 0 ? 'failed' : 'mixed';
  const text = results.length > 1 ? `${count} of ${decided.length} passed` : count === 1 ? 'passed' : 'not passed';
  return { model, kind, text, share: count / decided.length };
}
