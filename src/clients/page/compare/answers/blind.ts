import { computed, type ReadonlySignal } from '@preact/signals';
import type { RunResult } from '../../../client/client';
import type { AnswersSource } from '../run/live-run';
import type { ColumnState } from '../run/run';

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
