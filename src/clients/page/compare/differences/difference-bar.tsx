import type { ColumnState } from '../run/run';
import { changePair, type ColumnPair, comparable, countText, type DifferenceView, goToChange } from './difference-view';

interface DifferenceBarProps {
  columns: readonly ColumnState[];
  view: DifferenceView;
  onPair: (pair: ColumnPair) => void;
}

/** Which two answers are compared, how many words differ, and the way from one change to the next. */
export function DifferenceBar({ columns, view, onPair }: DifferenceBarProps) {
  return (
    <div class="difference-bar" role="group" aria-label="Compared answers">
      <PairChoice columns={columns} choices={comparable(columns)} pair={view.pair} onPair={onPair} />
      <Counts view={view} />
    </div>
  );
}

function PairChoice({
  columns,
  choices,
  pair,
  onPair,
}: {
  columns: DifferenceBarProps['columns'];
  choices: readonly number[];
  pair: ColumnPair;
  onPair: (pair: ColumnPair) => void;
}) {
  const isSampled = columns.some(({ sample }) => sample > 0);
  const select = (side: keyof ColumnPair, label: string) => (
    <select
      aria-label={label}
      value={pair[side]}
      onChange={(event) => onPair(changePair(pair, { [side]: Number(event.currentTarget.value) }))}
    >
      {choices.map((index) => (
        <option key={index} value={index}>
          {nameOf(columns[index], isSampled)}
        </option>
      ))}
    </select>
  );
  return (
    <span class="difference-pair">
      {select('base', 'Base')}
      <span aria-hidden="true"> → </span>
      {select('other', 'Other')}
    </span>
  );
}

function nameOf(column: ColumnState | undefined, isSampled: boolean): string {
  return isSampled && column !== undefined ? `${column.model} · ${column.sample + 1}` : (column?.model ?? '');
}

function Counts({ view: { found, current } }: { view: DifferenceView }) {
  if (found === undefined) return null;
  const go = (step: 1 | -1): void => goToChange({ found, current }, step);
  return (
    <span class="difference-counts">
      <span>{countText(found)}</span>
      {found.changes > 0 && (
        <button type="button" class="button-quiet" aria-label="Previous change" onClick={() => go(-1)}>
          ↑
        </button>
      )}
      {found.changes > 0 && (
        <button type="button" class="button-quiet" aria-label="Next change" onClick={() => go(1)}>
          ↓
        </button>
      )}
    </span>
  );
}
