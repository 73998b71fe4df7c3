import type { Eval, Statistics } from '../../client/client';
import { leadWords } from '../../client/plain-words';
import { DASH } from '../compare/answers/figures';
import { definitionsOf } from '../compare/evaluated';
import { pluralize } from '../compare/limits';
import { ModelMark, ModelName } from '../compare/models/model-mark';
import { Scroller } from '../parts/scroller';
import { type CheckCell, type CheckRow, checkRows } from './checks-summary';
import { Help } from './help';
import { StatisticsTable } from './statistics-table';

/** The summary of an eval's checks and samples, above its answers: samples in plain words, and tables to unfold. */
export function EvaluationSummary({ stored }: { stored: Eval }) {
  const { models, results, statistics } = stored;
  const rows = checkRows(models, results, definitionsOf(stored));
  const checks = pluralize(rows.length, 'check');
  const isSampled = statistics !== undefined && statistics.samples > 1;
  if (!isSampled && rows.length === 0) return null;
  return (
    <>
      {isSampled && <PlainStatistics stored={stored} statistics={statistics} checks={rows.length} />}
      <details class="finding">
        <summary>
          <h2>
            {isSampled
              ? `Figures of ${statistics.samples} samples${rows.length === 0 ? '' : ` and ${checks}`}`
              : checks}
          </h2>
        </summary>
        {isSampled && <StatisticsTable statistics={statistics} />}
        {rows.length > 0 && <ChecksTable rows={rows} models={models} />}
      </details>
    </>
  );
}

interface PlainStatisticsProps {
  stored: Eval;
  statistics: Statistics;
  /** How many there are. */
  checks: number;
}

/** The findings of the samples, in a sentence each: who was fastest, who was cheapest, whose answers passed. */
function PlainStatistics({ stored, statistics, checks }: PlainStatisticsProps) {
  const leads = (['fastest', 'cheapest'] as const).flatMap((kind) => leadWords(stored, kind) ?? []);
  return (
    <ul class="leaders" aria-label="What the samples say">
      {leads.map(({ model, claim, luck }) => (
        <li key={claim}>
          {model !== undefined && (
            <>
              <ModelMark model={model} models={stored.models} />{' '}
              <strong>
                <bdi>{model}</bdi>
              </strong>{' '}
            </>
          )}
          {claim}{' '}
          {luck !== '' && (
            <span class="leaders-luck">
              {luck}{' '}
              <Help about="luck" anchor="luck">
                Rounds differ by chance. “Likely” means that equal models show such a lead in fewer than 1 of 20
                comparisons, “very likely” in fewer than 1 of 100.
              </Help>
            </span>
          )}
        </li>
      ))}
      {checks > 0 && <Passed statistics={statistics} checks={checks} models={stored.models} />}
    </ul>
  );
}

function Passed({
  statistics,
  checks,
  models,
}: Pick<PlainStatisticsProps, 'statistics' | 'checks'> & { models: readonly string[] }) {
  return (
    <li>
      Passed {checks === 1 ? 'the check' : checks === 2 ? 'both checks' : `all ${checks} checks`}:{' '}
      {statistics.models.map(({ model, checks: passed }) => (
        <span key={model} class="leaders-passed">
          {' '}
          <ModelName model={model} models={models} />{' '}
          {passed === undefined || passed.of === 0 ? 'no answer' : `${passed.passed} of ${passed.of}`}
        </span>
      ))}
    </li>
  );
}

/** The verdicts of each check on each model. */
function ChecksTable({ rows, models }: { rows: readonly CheckRow[]; models: readonly string[] }) {
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
