import { computed, type ReadonlySignal, signal, type Signal, useComputed } from '@preact/signals';
import { type ColumnPhase, type ColumnState, isOpen } from '../run/run';

/** All answers of one model, and which of them its column shows. */
export interface ModelAnswers {
  model: string;
  /** Their positions among all answers of the run. */
  positions: readonly number[];
  answers: readonly ReadonlySignal<ColumnState>[];
  /** The chosen answer, from 0. */
  chosen: Signal<number | undefined>;
  /** The shown answer, from 0: during a run, the newest that has begun. */
  shown: ReadonlySignal<number>;
  /** The shown answer. */
  column: ReadonlySignal<ColumnState>;
}

/** The answers of a run model by model, in the order of the request. */
export function answersByModel(columns: readonly ReadonlySignal<ColumnState>[], isLive: boolean): ModelAnswers[] {
  const positions = new Map<string, number[]>();
  columns.forEach((column, position) => {
    const { model } = column.peek();
    positions.set(model, [...(positions.get(model) ?? []), position]);
  });
  return [...positions].map(([model, own]) =>
    ofModel(
      model,
      own,
      own.flatMap((position) => columns[position] ?? []),
      isLive,
    ),
  );
}

/** Shows the next or the previous answer of a model; after the last comes the first. */
export function stepSample({ answers: { length }, chosen, shown }: ModelAnswers, by: 1 | -1): void {
  if (length > 1) chosen.value = (shown.peek() + by + length) % length;
}

/** The state of a model with all its answers. */
export function overallPhase(answers: readonly Pick<ColumnState, 'phase'>[]): ColumnPhase {
  const phases = answers.map(({ phase }) => phase);
  if (answers.some(isOpen)) return phases.every((phase) => phase === 'waiting') ? 'waiting' : 'writing';
  return (['failed', 'lost'] as const).find((phase) => phases.includes(phase)) ?? 'ended';
}

function ofModel(
  model: string,
  positions: readonly number[],
  answers: readonly ReadonlySignal<ColumnState>[],
  isLive: boolean,
): ModelAnswers {
  const chosen = signal<number | undefined>(undefined);
  const [only] = answers;
  const shown = computed(
    () =>
      chosen.value ??
      (isLive
        ? Math.max(
            0,
            answers.findLastIndex(({ value }) => value.phase !== 'waiting'),
          )
        : 0),
  );
  const column =
    answers.length === 1 && only !== undefined
      ? only
      : computed(() => (answers[shown.value] as ReadonlySignal<ColumnState>).value);
  return { model, positions, answers, chosen, shown, column };
}

/** The states of all columns, drawn again when a model begins or ends and not at every word. */
export function useColumnStates(columns: readonly ReadonlySignal<ColumnState>[]): ColumnState[] {
  void useComputed(() => columns.map(({ value: { phase } }) => phase).join(' ')).value;
  return columns.map((column) => column.peek());
}
