import type { Eval } from '../../client/client';
import { ChecksTable } from './checks-table';
import { statisticsOf } from './statistics';
import { StatisticsTable } from './statistics-table';

/** The summary of an eval's checks and samples, above its answers. */
export function EvaluationSummary({ stored }: { stored: Eval }) {
  const statistics = statisticsOf(stored);
  return (
    <>
      {statistics !== undefined && statistics.samples > 1 && <StatisticsTable statistics={statistics} />}
      <ChecksTable stored={stored} />
    </>
  );
}
