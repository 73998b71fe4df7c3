import type { Eval } from '../../client/client';
import { ChecksTable } from './checks-table';
import { statisticsOf } from './statistics';
import { StatisticsTable } from './statistics-table';

/** What checks and samples say of an eval as a whole, above its answers. */
export function EvaluationSummary({ stored }: { stored: Eval }) {
  const statistics = statisticsOf(stored);
  return (
    <>
      {statistics !== undefined && statistics.samples > 1 && <StatisticsTable statistics={statistics} />}
      <ChecksTable stored={stored} />
    </>
  );
}
