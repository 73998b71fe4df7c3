import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { ColumnState } from './run';

/** The states of all columns, drawn again when a model begins or ends and not at every word. */
export function useColumnStates(columns: readonly ReadonlySignal<ColumnState>[]): ColumnState[] {
  void useComputed(() => columns.map(({ value: { phase } }) => phase).join(' ')).value;
  return columns.map((column) => column.peek());
}
