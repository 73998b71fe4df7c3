import { useEffect } from 'preact/hooks';
import type { Experiment, ExperimentSummary } from '../../client/client';
import { groupDigits } from '../compare/limits';
import { ModelMark } from '../compare/model-mark';
import { Amount } from '../parts/amount';
import { Banner } from '../parts/banner';
import { FailedLoad } from '../parts/failed-load';
import { Fold } from '../parts/fold';
import { LocalTime } from '../parts/local-time';
import { MissingScope } from '../parts/missing-scope';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
import { announce } from '../parts/status-line';
import { client, hasScope } from '../session';
import { ExperimentActions } from './experiment-actions';
import { useFollowed } from './follow';
import { Pairs, Ranking, ModelFigures } from './findings';
import { Progress } from './progress';
import { RowsTable } from './rows-table';
import { useLatest, useThrottled } from './use-pages';
import { openRowsText, stateText, timeLeftText } from './words';

/** Figures of a running experiment change with every row; they are asked for this often. */
const REFRESH_MS = 5000;

/** One experiment: how far it is, what it found, and its rows. */
export function ExperimentScreen({ id }: { id: string }) {
  if (!hasScope('experiments:read')) return <section class="experiments"><ScreenTitle title="Experiment" /><MissingScope scope="experiments:read" purpose="to show experiments" /></section>;
  return <FollowedExperiment id={id} />;
}

function FollowedExperiment({ id }: { id: string }) {
  const { experiment, failure, isLost, restart } = useFollowed(id);
  const shown = experiment.value;
  const change = (changed: Experiment): void => {
    experiment.value = changed;
    restart();
  };
  return (
    <section class="experiments">
      <ScreenTitle title={shown?.name ?? 'Experiment'} />
      {failure.value !== undefined && (failure.value.status === 404 ? <Unknown /> : <FailedLoad error={failure.value} onRetry={restart} />)}
      {isLost.value && <Banner kind="warning">The service cannot be reached. What is shown may be old; the page keeps trying.</Banner>}
      {shown === undefined && failure.value === undefined && <Skeleton lines={6} />}
      {shown !== undefined && <Shown experiment={shown} onChanged={change} />}
    </section>
  );
}

function Unknown() {
  return <Banner kind="warning"><span>There is no experiment at this address: it belongs to another user, or never existed.</span> <a href="/experiments">To the experiments</a></Banner>;
}

function Shown({ experiment, onChanged }: { experiment: Experiment; onChanged: (changed: Experiment) => void }) {
  const { experiment_id: id, state, rows } = experiment;
  useEffect(() => announce(`The experiment is ${stateText(experiment)}`), [state]);
  const progress = `${state} ${rows.done} ${rows.failed}`;
  const throttled = useThrottled(progress, REFRESH_MS);
  // The end is shown at once.
  const refresh = state === 'running' ? throttled : progress;
  const summary = useLatest((signal) => client().experiments.summary(id, { signal }), [id, refresh]);
  const isMissing = rows.failed > 0 || (summary.value?.models.some(({ failed }) => failed > 0) ?? false);
  return (
    <>
      <Head experiment={experiment} />
      {hasScope('experiments') && <ExperimentActions experiment={experiment} isMissing={isMissing} onChanged={onChanged} />}
      {summary.error !== undefined && <FailedLoad error={summary.error} onRetry={summary.retry} />}
      {summary.value !== undefined && <Findings summary={summary.value} />}
      <RowsTable experiment={experiment} refresh={refresh} />
    </>
  );
}

function Head({ experiment }: { experiment: Experiment }) {
  const { state, reason_detail: detail, rows, cost_usd: cost, max_cost_usd: cap, charge_usd: charge, max_charge_usd: maxCharge, eta_seconds: left, created_at: created, finished_at: finished, models, prompt } = experiment;
  return (
    <>
      <p class="experiment-facts"><strong class="experiment-state" data-state={state}>{stateText(experiment)}</strong>{models.map((model) => <span key={model}><ModelMark model={model} models={models} /> <bdi>{model}</bdi></span>)}<span class="quiet">started <LocalTime timestamp={created} /></span></p>
      {detail !== null && <Banner kind="warning">{detail}</Banner>}
      <Progress experiment={experiment} />
      <dl class="month-figures">
        <div class="month-figure"><dt>Rows</dt><dd><span class="month-figure-value">{groupDigits(rows.done)} done</span><span class="month-figure-note">{openRowsText(rows)}</span></dd></div>
        <div class="month-figure"><dt>Cost, of the cap</dt><dd><span class="month-figure-value"><Amount exact={cost} /></span><span class="month-figure-note">of <Amount exact={cap} /></span></dd></div>
        <div class="month-figure"><dt>Charged</dt><dd><span class="month-figure-value"><Amount exact={charge} /></span><span class="month-figure-note">at most <Amount exact={maxCharge} /></span></dd></div>
        {finished !== null
          ? <div class="month-figure"><dt>Ended</dt><dd><LocalTime timestamp={finished} /></dd></div>
          : <div class="month-figure"><dt>Time left</dt><dd><span class="month-figure-value">{left === null ? '–' : timeLeftText(left)}</span>{left === null && state === 'running' && <span class="month-figure-note">known after 20 rows</span>}</dd></div>}
      </dl>
      {prompt !== null && <Fold class="experiment-prompt" summary="Prompt">{() => <p dir="auto" class="experiment-text">{prompt}</p>}</Fold>}
    </>
  );
}

function Findings({ summary }: { summary: ExperimentSummary }) {
  const { headline, warnings, rows } = summary;
  return (
    <>
      <p class="experiment-result" role="status">{headline}</p>
      {warnings.length > 0 && rows > 0 && <Banner kind="warning"><ul class="experiment-warnings">{warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul></Banner>}
      {rows > 0 && (
        <>
          <Ranking summary={summary} />
          <ModelFigures summary={summary} />
          <Pairs summary={summary} />
        </>
      )}
    </>
  );
}
