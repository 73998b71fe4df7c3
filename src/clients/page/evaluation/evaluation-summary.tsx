import type { Eval } from '../../client/client';
import { definitionsOf } from '../compare/evaluated';
import { pluralize } from '../compare/limits';
import { checkRows } from './checks-summary';
import { ChecksTable } from './checks-table';
import { PlainStatistics } from './plain-statistics';
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
