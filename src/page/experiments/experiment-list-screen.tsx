import type { Experiment } from '../../client/client';
import { Amount } from '../parts/amount';
import { FailedLoad } from '../parts/failed-load';
import { LocalTime } from '../parts/local-time';
import { MissingScope } from '../parts/missing-scope';
import { Nothing } from '../parts/nothing';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
import { experimentPath } from '../routes';
import { client, hasScope } from '../session';
import { useLoaded } from '../use-loaded';
import { Pager } from './pager';
import { Progress } from './progress';
import { usePages } from './use-pages';
import { isEnded, stateText } from './words';

/** Past and running experiments, newest first. */
export function ExperimentListScreen() {
  return (
    <section class="experiments">
      <div class="experiments-head">
        <ScreenTitle title="Experiments" />
        {hasScope('experiments') && <a class="button-link" href="/experiments/new">New experiment</a>}
      </div>
      {hasScope('experiments:read') ? <ExperimentList /> : <MissingScope scope="experiments:read" purpose="to list experiments" />}
    </section>
  );
}

function ExperimentList() {
  const pages = usePages(async (cursor, signal) => {
    const { page, next } = await client().experiments.list({ ...(cursor !== undefined && { cursor }) }, { signal }).open();
    return { items: page.experiments, next: next?.cursor };
  }, 'all');
  const { value, error, retry, isLoading, number } = pages;
  if (value !== undefined && value.items.length === 0 && number === 1) return <Empty />;
  return (
    <>
      {error !== undefined && <FailedLoad error={error} onRetry={retry} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value !== undefined && <ul class="experiment-lines" aria-label="Experiments" aria-busy={isLoading}>{value.items.map((experiment) => <ExperimentLine key={experiment.experiment_id} experiment={experiment} />)}</ul>}
      <Pager pages={pages} previous="Newer" following="Older" />
    </>
  );
}

function Empty() {
  return (
    <Nothing title="A data set, several models, one answer">
      <p>An experiment sends one prompt for every row of a file to several models, checks the answers, and says which differences luck does not explain. It never costs more than its cap.</p>
      {hasScope('experiments') && <a class="button-link" href="/experiments/new">Choose a file</a>}
      <p><a href="/docs/guide/checks-and-statistics">Read about checks and ranges in the guide</a></p>
    </Nothing>
  );
}

function ExperimentLine({ experiment }: { experiment: Experiment }) {
  const { experiment_id: id, name, models, created_at: created, cost_usd: cost, max_cost_usd: cap } = experiment;
  return (
    <li class="experiment-line">
      <a href={experimentPath(id)}><bdi>{name ?? models.join(', ')}</bdi></a>
      <span class="experiment-state" data-state={experiment.state}>{stateText(experiment)}</span>
      <Progress experiment={experiment} />
      <span class="number"><Amount exact={cost} /> of <Amount exact={cap} /></span>
      <span class="quiet"><LocalTime timestamp={created} /></span>
      {isEnded(experiment) && <Headline id={id} />}
    </li>
  );
}

/** Summaries are asked for one after the other. */
let before: Promise<unknown> = Promise.resolve();

function Headline({ id }: { id: string }) {
  const { state } = useLoaded(async (signal) => {
    const asked = before.then(() => { signal.throwIfAborted(); return client().experiments.summary(id, { signal }); });
    before = asked.catch(() => undefined);
    return (await asked).headline;
  }, [id]);
  return state.value.kind === 'loaded' ? <p class="experiment-headline">{state.value.value}</p> : null;
}
