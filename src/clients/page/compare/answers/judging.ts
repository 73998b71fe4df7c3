import { computed, type ReadonlySignal, type Signal, signal, useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Eval, Preference, RunResult } from '../../../client/client';
import { announce } from '../../parts/notices';
import { prefs } from '../../prefs';
import { problemOf } from '../../requests';
import { client, hasScope } from '../../session';
import type { AnswersSource } from '../run/live-run';
import type { ColumnState } from '../run/run';

/** Answers for the eye of a judge. While names are hidden, the columns have none, and nothing is known of the eval. */
export interface Judged extends Pick<AnswersSource, 'columns' | 'startedAt'> {
  stored: Eval | undefined;
  isHidden: boolean;
  /** The models in the order of their columns. */
  order: readonly string[];
  /** The eval that the choice is about; undefined where there is none to make. */
  asking: Eval | undefined;
  /** The chosen model, or another choice. */
  chosen: string | undefined;
  /** Keeps a choice: a model that answered, or another choice. Undefined once there is one. */
  choose: ((preferred: string | undefined) => void) | undefined;
}

const NOTHING = { stored: undefined, startedAt: undefined };

/** The names are hidden from the start of a run until the choice, where the switch says so and a choice can be made. */
export function useJudged(source: AnswersSource, isShared: boolean): Judged {
  const asked = useMemo(() => [...new Set(source.columns.map((column) => column.peek().model))], [source]);
  const stored = source.stored.value;
  const candidates = useCandidates(source, asked, isShared);
  const choice = stored === undefined || candidates.length < 2 ? undefined : choiceIn(stored);
  const chosen = choice?.kept.value?.preferred;
  const isHidden = candidates.length > 1 && prefs.value.blind && chosen === undefined;
  const { columns, order, isBlind } = useOrder(source, asked, isHidden);
  const keep = (preferred: string | undefined): void => {
    if (stored !== undefined && preferred !== undefined && [...candidates, TIE, NONE].includes(preferred))
      void choose(stored, { preferred, blind: isBlind });
  };
  return {
    columns,
    order,
    isHidden,
    chosen,
    asking: choice && stored,
    choose: mayKeep(choice) ? keep : undefined,
    ...(isHidden ? NOTHING : { stored, startedAt: source.startedAt }),
  };
}

/** The models that can be chosen, or may be when the run has ended. */
function useCandidates(source: AnswersSource, asked: readonly string[], isShared: boolean): readonly string[] {
  const stored = source.stored.value;
  const isLost = useComputed(() =>
    source.columns.every(({ value }) => value.phase === 'failed' || value.phase === 'lost'),
  ).value;
  if (isShared || isLost || !mayChoose()) return [];
  return stored === undefined ? asked : answeredModels(stored);
}

/** The order in which answers were first shown stays after the choice, so that the reader finds them again. */
function useOrder(
  source: AnswersSource,
  asked: readonly string[],
  isHidden: boolean,
): Pick<Judged, 'columns' | 'order'> & { isBlind: boolean } {
  const hidden = useSignal(isHidden);
  hidden.value = isHidden;
  const memory = useRef<{
    source: AnswersSource;
    order?: readonly string[];
    columns?: AnswersSource['columns'];
    wereKnown?: boolean;
  }>({ source });
  if (memory.current.source !== source) memory.current = { source };
  const held = memory.current;
  if (isHidden && held.columns === undefined) {
    held.order = shuffled(asked);
    held.columns = orderedColumns(source.columns, held.order, hidden);
  }
  // A name that was once beside a text is known.
  if (!isHidden && source.columns.some((column) => column.peek().text !== '')) held.wereKnown = true;
  return {
    columns: held.columns ?? source.columns,
    order: held.order ?? asked,
    isBlind: isHidden && held.wereKnown !== true,
  };
}

function mayKeep(choice: Choice | undefined): boolean {
  return choice !== undefined && choice.kept.value === undefined;
}

/** The choice that the key in use made in an eval. */
interface Choice {
  /** The kept preference. */
  kept: Signal<Preference | undefined>;
  problem: Signal<string>;
  isSaving: Signal<boolean>;
}

export const TIE = 'tie';
export const NONE = 'none_good';
export const MAX_REASON_CHARACTERS = 500;

/** Lives as long as the eval on the screen, which other screens may cover meanwhile. */
const choices = new WeakMap<Eval, Choice>();

/** The choice in an eval. */
export function choiceIn(stored: Eval): Choice {
  const known = choices.get(stored);
  if (known !== undefined) return known;
  const made: Choice = { kept: signal(stored.preference ?? undefined), problem: signal(''), isSaving: signal(false) };
  choices.set(stored, made);
  return made;
}

/** True if the key in use may choose among the answers of an eval. */
function mayChoose(): boolean {
  return hasScope('compare') && hasScope('evals:read');
}

/** The models that answered, in the order of the eval: only they can be better. */
function answeredModels({ models, results }: Eval): string[] {
  return models.filter((model) => results.some((result) => result.model === model && result.error === undefined));
}

/** Keeps a choice, in place of an earlier one of this key, here or in another tab. */
export async function choose(
  stored: Eval,
  body: { preferred: string; blind: boolean; reason?: string },
): Promise<void> {
  await save(stored, async () => {
    const kept = await client().evals.prefer(stored.eval_id, body);
    announce(`Chosen: ${choiceText(kept.preferred)}`);
    return kept;
  });
}

/** Takes the choice back. */
export async function takeBack(stored: Eval): Promise<void> {
  await save(stored, async () => {
    await client().evals.unprefer(stored.eval_id);
    announce('The choice was taken back');
    return undefined;
  });
}

/** A choice in words. */
function choiceText(preferred: string): string {
  return preferred === TIE ? 'they tie' : preferred === NONE ? 'none is good' : preferred;
}

async function save(stored: Eval, change: () => Promise<Preference | undefined>): Promise<void> {
  const { kept, problem, isSaving } = choiceIn(stored);
  if (isSaving.peek()) return;
  isSaving.value = true;
  problem.value = '';
  problem.value = await problemOf(async () => {
    kept.value = await change();
  }, 'This eval was erased, so no choice can be kept.');
  isSaving.value = false;
}

const NAMES = 'ABCDEFGH';
const FAILED = { message: 'This model failed.', retryable: false };

/** The models of a run in an order by chance, so that a position says nothing. */
export function shuffled<T>(items: readonly T[], random = randomNumber): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

function randomNumber(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/**
 * The columns of a source with its models in this order, round by round. While `isHidden`, a column has neither name
 * nor figures.
 */
export function orderedColumns(
  columns: AnswersSource['columns'],
  order: readonly string[],
  isHidden: ReadonlySignal<boolean>,
): AnswersSource['columns'] {
  const rounds = Math.max(0, ...columns.map((column) => column.peek().sample)) + 1;
  const ordered = Array.from({ length: rounds }, (_, sample) =>
    order.flatMap(
      (model) => columns.find((column) => column.peek().model === model && column.peek().sample === sample) ?? [],
    ),
  ).flat();
  return ordered.map((column) => computed(() => (isHidden.value ? withoutName(column.value, order) : column.value)));
}

/** The name of a hidden model. */
export function blindName(model: string, order: readonly string[]): string {
  return `Answer ${NAMES[order.indexOf(model)] ?? order.indexOf(model) + 1}`;
}

/** Only the text stays: length and speed may tell, but a figure says it at a glance. */
function withoutName({ model, sample, phase, text, error }: ColumnState, order: readonly string[]): ColumnState {
  const [name, shown] = [blindName(model, order), withoutNames(text, order)];
  return {
    model: name,
    sample,
    phase,
    text: shown,
    error: error === undefined ? undefined : { ...FAILED, code: error.code },
    result: phase === 'ended' ? ({ model: name, output: shown } as RunResult) : undefined,
  };
}

/** A text without the names of these models, also without their efforts (`model@high`). */
function withoutNames(text: string, order: readonly string[]): string {
  const names = order.flatMap((model) =>
    [model, model.replace(/@[a-z]+$/, '')].map((name) => [name, blindName(model, order)] as const),
  );
  return names
    .sort(([left], [right]) => right.length - left.length)
    .reduce((shown, [name, blind]) => (name === '' ? shown : shown.replace(wholeName(name), () => blind)), text);
}

/** Not within a word, since names may be as short as `o1`. */
function wholeName(name: string): RegExp {
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${name.toWellFormed().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
    'giu',
  );
}
