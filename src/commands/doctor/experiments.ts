import { count } from '../../bootstrap/terminal';
import { EXPERIMENT_COUNTS, type ExperimentCounts } from '../../modules/experiments/experiment-counts';
import { ok, warning, type Judgment } from './finding';
import type { Session } from './session';

/** No row of a running experiment takes longer. */
const MAX_SILENCE_SECONDS = 1800;

/** Diagnoses that the rows of running experiments are dealt. */
export async function diagnoseExperiments(session: Session): Promise<Judgment> {
  const { isThere } = await session.queryOne<{ isThere: boolean }>(
    `select to_regclass('experiment_rows') is not null as "isThere"`,
    [],
  );
  return isThere
    ? judgeExperiments(await session.queryOne<ExperimentCounts>(EXPERIMENT_COUNTS, []))
    : ok('There are none before the migrations.');
}

/** The verdict on these counts. */
export function judgeExperiments({ running, paused, rowsWaiting, silentSeconds }: ExperimentCounts): Judgment {
  if (silentSeconds <= MAX_SILENCE_SECONDS)
    return ok(`${count(running, 'experiment')} running with ${count(rowsWaiting, 'row')} waiting, ${paused} paused.`);
  return warning(
    `No row of a running experiment was dealt for ${Math.floor(silentSeconds / 60)} minutes. Look in the log why rows fail, and whether any process has MAX_CONCURRENT_RUNS above 0 and free slots.`,
  );
}
