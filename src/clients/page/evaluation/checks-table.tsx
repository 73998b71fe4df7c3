import { DASH } from '../compare/figures';
import { Help } from './help';
import type { CheckCell, CheckRow } from './checks-summary';
import { Scroller } from './scroller';

/** The verdicts of each check on each model. */
export function ChecksTable({ rows, models }: { rows: readonly CheckRow[]; models: readonly string[] }) {
  return (
    <Scroller label="Checks by model">
      <table class="finding-table">
        <caption class="visually-hidden">How many answers of each model pass each check</caption>
        <thead>
          <tr>
            <th scope="col">
              Check{' '}
              <Help about="checks" anchor="checks">
                A check is a rule that a program decides, such as “contains Paris”. An answer passes where it follows
                the rule.
              </Help>
            </th>
            {models.map((model) => (
              <th key={model} scope="col">
                {model}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, words, cells }) => (
            <tr key={name}>
              <th scope="row" title={words}>
                {name}
                <span class="finding-range">{words}</span>
              </th>
              {cells.map((cell, index) => (
                <td key={models[index]}>
                  <Cell {...cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function Cell({ passed, decided, errors }: CheckCell) {
  const undecided = errors > 0 && <span class="finding-range">{errors} undecided</span>;
  if (decided === 0) return <>{errors === 0 ? DASH : undecided}</>;
  const isAll = passed === decided;
  return (
    <>
      <span class={isAll ? 'badge-passed' : 'badge-failed'}>
        <i aria-hidden="true">{isAll ? '✓' : '✗'}</i> {passed} of {decided}
      </span>
      {undecided}
    </>
  );
}
