import type { Eval } from '../../client/client';
import { DASH } from '../compare/figures';
import { definitionsOf } from '../compare/evaluated';
import { checkRows, type CheckCell } from './checks-summary';

/** The verdicts of each check on each model; empty if the eval has no checks. */
export function ChecksTable({ stored }: { stored: Eval }) {
  const { models, results } = stored;
  const rows = checkRows(models, results, definitionsOf(stored));
  if (rows.length === 0) return null;
  return (
    <details class="finding" open={results.length > models.length}>
      <summary><h2>{rows.length === 1 ? '1 check' : `${rows.length} checks`}</h2></summary>
      <div class="finding-scroller" role="region" aria-label="Checks by model" tabIndex={0}>
        <table class="finding-table">
          <caption class="visually-hidden">How many answers of each model pass each check</caption>
          <thead><tr><th scope="col">Check</th>{models.map((model) => <th key={model} scope="col">{model}</th>)}</tr></thead>
          <tbody>
            {rows.map(({ name, words, cells }) => (
              <tr key={name}><th scope="row" title={words}>{name}<span class="finding-range">{words}</span></th>{cells.map((cell, index) => <td key={models[index]}><Cell {...cell} /></td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Cell({ passed, decided, errors }: CheckCell) {
  const undecided = errors > 0 && <span class="finding-range">{errors} undecided</span>;
  if (decided === 0) return <>{errors === 0 ? DASH : undecided}</>;
  const isAll = passed === decided;
  return <><span class={isAll ? 'badge-passed' : 'badge-failed'}><i aria-hidden="true">{isAll ? '✓' : '✗'}</i> {passed} of {decided}</span>{undecided}</>;
}
