import { useSignal } from '@preact/signals';
import type { Experiment } from '../../client/client';
import { DASH } from '../compare/answers/figures';
import { percentText } from '../evaluation/numbers';
import { Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { FindingTable } from '../parts/scroller';
import { useLoaded } from '../requests';
import { client } from '../session';
import { experimentTitle, perThousandText } from './words';

/** Compares an experiment that has ended with an earlier one of the same data; `against` is chosen at first. */
export function ComparedExperiments({ experiment, against }: { experiment: Experiment; against: string | undefined }) {
  const { experiment_id: id } = experiment;
  const { state, retry } = useLoaded((signal) => earlierOf(experiment, signal), [id]);
  const chosen = useSignal(against ?? '');
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={2} />;
  if (loaded.kind === 'failed') return <FailedLoad error={loaded.error} onRetry={retry} />;
  if (loaded.value.length === 0) return <p class="quiet">There is no earlier experiment with this data set yet.</p>;
  return (
    <>
      <div class="field">
        <label for="compared-with">Compare with</label>
        <select
          id="compared-with"
          value={chosen.value}
          onChange={(event) => void (chosen.value = event.currentTarget.value)}
        >
          <option value="">choose an experiment</option>
          {loaded.value.map((earlier) => (
            <option key={earlier.experiment_id} value={earlier.experiment_id}>
              {experimentTitle(earlier)}, {earlier.created_at.slice(0, 16).replace('T', ' ')}
            </option>
          ))}
        </select>
      </div>
      {chosen.value !== '' && <Comparison key={chosen.value} id={id} against={chosen.value} />}
    </>
  );
}

/** The user's other experiments with the same data set, of the newest hundred. */
async function earlierOf({ experiment_id: id, dataset_id: dataset }: Experiment, signal: AbortSignal) {
  const { page } = await client().experiments.list({ limit: 100 }, { signal }).open();
  return page.experiments.filter(
    (one) => one.dataset_id === dataset && one.experiment_id < id && one.prompt !== null && one.judge === null,
  );
}

function Comparison({ id, against }: { id: string; against: string }) {
  const { state, retry } = useLoaded((signal) => client().experiments.comparison(id, { against }, { signal }), [id]);
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={3} />;
  if (loaded.kind === 'failed') return <FailedLoad error={loaded.error} onRetry={retry} />;
  const { words, models, unmatched, request_changed: changed } = loaded.value;
  return (
    <>
      <p class="experiment-headline">{words}</p>
      {changed.length > 0 && <p class="quiet">The requests differ in {changed.join(', ')}.</p>}
      {unmatched.count > 0 && <p class="quiet">{unmatched.count} rows are in one of the two only.</p>}
      <FindingTable
        label="Both experiments"
        heads={['Model', 'Passed before', 'Passed now', '1,000 passed before', '1,000 passed now', 'Rows gained, lost']}
      >
        {models.map(({ model, metrics: { passed }, cost_per_passed: cost, flips }) => (
          <tr key={model}>
            <th scope="row">{model}</th>
            <td>{shareText(passed?.before)}</td>
            <td>{shareText(passed?.after)}</td>
            <td>{cost.before === null ? DASH : perThousandText(cost.before.usd)}</td>
            <td>{cost.after === null ? DASH : perThousandText(cost.after.usd)}</td>
            <td>
              {flips.gained_count}, {flips.lost_count}
            </td>
          </tr>
        ))}
      </FindingTable>
      {models.length > 1 && (
        <ul class="experiment-list">
          {models.map((model) => (
            <li key={model.model}>{model.words}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function shareText(share: number | null | undefined): string {
  return typeof share === 'number' ? percentText(share) : DASH;
}
