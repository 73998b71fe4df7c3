import { useSignal } from '@preact/signals';
import type { Experiment } from '../../client/client';
import { groupDigits } from '../compare/limits';
import { MissingScope } from '../parts/notices';
import { Nothing } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { Amount, LocalTime } from '../parts/values';
import { useLoaded } from '../requests';
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
      <p>
        <a href="/docs/guide/experiments">From a CSV to a decision, in the guide</a>
      </p>
    </Nothing>
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
      {isEnded(experiment) && <Headline id={id} />}
    </li>
  );
}

function Headline({ id }: { id: string }) {
  const { state } = useLoaded((signal) => client().experiments.summary(id, { signal }), [id]);
  return state.value.kind === 'loaded' ? <p class="experiment-headline">{state.value.value.headline}</p> : null;
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
