import { useSignal } from '@preact/signals';
import type { Experiment } from '../../client/client';
import { loadExperimentExample } from '../chunks';
import { groupDigits } from '../compare/limits';
import { MissingScope } from '../parts/notices';
import { Nothing } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { Amount, LocalTime } from '../parts/values';
import { problemOf, useLoaded } from '../requests';
import { navigate } from '../router';
import { experimentPath } from '../routes';
import { client, hasScope } from '../session';
import { ExperimentActions } from './experiment-actions';
import { type ListPage, Paged } from './use-pages';
import { experimentStateText, experimentTitle, isEnded } from './words';

/** Past and running experiments, newest first. */
export function ExperimentListScreen() {
  return (
    <section class="experiments">
      <div class="experiments-head">
        <ScreenTitle title="Experiments" />
        {hasScope('experiments') && (
          <a class="button-link" href="/experiments/new">
            New experiment
          </a>
        )}
      </div>
      {hasScope('experiments:read') ? (
        <Paged open={openList} empty={<Empty />}>
          {(items, isLoading) => (
            <ul class="experiment-lines" aria-label="Experiments" aria-busy={isLoading}>
              {items.map((experiment) => (
                <ExperimentLine key={experiment.experiment_id} experiment={experiment} />
              ))}
            </ul>
          )}
        </Paged>
      ) : (
        <MissingScope scope="experiments:read" purpose="to list experiments" />
      )}
    </section>
  );
}

async function openList(cursor: string | undefined, signal: AbortSignal): Promise<ListPage<Experiment>> {
  const { page, next } = await client()
    .experiments.list({ ...(cursor !== undefined && { cursor }) }, { signal })
    .open();
  return { items: page.experiments, next: next?.cursor };
}

function Empty() {
  return (
    <Nothing title="A data set, several models, one answer">
      <p>
        An experiment sends one prompt for every row of a file to several models, checks the answers, and says which
        differences luck does not explain. It never costs more than its cap.
      </p>
      {hasScope('experiments') && <StartExample />}
      <p>
        <a href="/docs/guide/experiments">From a CSV to a decision, in the guide</a>
      </p>
    </Nothing>
  );
}

/** One click to a result, with data that everybody has. */
function StartExample() {
  const problem = useSignal('');
  const isStarting = useSignal(false);
  const start = async (): Promise<void> => {
    isStarting.value = true;
    problem.value = await problemOf(async () => {
      const { startExample } = await loadExperimentExample();
      navigate(experimentPath(await startExample()));
    });
    isStarting.value = false;
  };
  return (
    <p>
      <button type="button" class="button-primary" disabled={isStarting.value} onClick={() => void start()}>
        Try it: 20 support tickets, three models, at most $0.01
      </button>
      <span class="problem" role="alert">
        {problem.value}
      </span>
    </p>
  );
}

function ExperimentLine({ experiment: listed }: { experiment: Experiment }) {
  const changed = useSignal<Experiment | undefined>(undefined);
  const experiment = changed.value ?? listed;
  const { experiment_id: id, state, created_at: created, cost_usd: cost, max_cost_usd: cap } = experiment;
  return (
    <li class="experiment-line">
      <a href={experimentPath(id)}>
        <bdi>{experimentTitle(experiment)}</bdi>
      </a>
      <span class="experiment-state" data-state={state}>
        {experimentStateText(experiment)}
      </span>
      <Progress experiment={experiment} />
      <span class="number">
        <Amount exact={cost} /> of <Amount exact={cap} />
      </span>
      <span class="quiet">
        <LocalTime timestamp={created} />
      </span>
      {state === 'paused' && hasScope('experiments') && (
        <ExperimentActions
          experiment={experiment}
          isMissing={false}
          isInList
          onChanged={(next) => {
            changed.value = next;
          }}
        />
      )}
      {isEnded(experiment) && <Headline experiment={experiment} />}
    </li>
  );
}

/** The decision, or else the recommendation. */
function Headline({ experiment: { experiment_id: id, decision } }: { experiment: Experiment }) {
  const { state } = useLoaded(
    async (signal) => (decision === null ? client().experiments.summary(id, { signal }) : undefined),
    [id],
  );
  if (decision !== null) return <p class="experiment-headline">Decided: {decision.model}</p>;
  const summary = state.value.kind === 'loaded' ? state.value.value : undefined;
  return summary === undefined ? null : (
    <p class="experiment-headline">{summary.recommendation?.words ?? summary.headline}</p>
  );
}

/** The rows that have ended, as a bar and in figures. */
export function Progress({
  experiment: {
    rows: { total, done, failed },
  },
}: {
  experiment: Experiment;
}) {
  return (
    <span class="experiment-progress">
      <progress aria-label="Rows that have ended" max={total} value={done + failed} />
      <span class="number">
        {groupDigits(done + failed)} of {groupDigits(total)} rows
      </span>
    </span>
  );
}
