import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CompareError, Experiment, ExperimentSummary } from '../../client/client';
import { monotonicMs } from '../clock';
import { DASH } from '../compare/answers/figures';
import { groupDigits } from '../compare/limits';
import { ModelName } from '../compare/models/model-mark';
import { Fold } from '../parts/fold';
import { announce, Banner, MissingScope, Skeleton } from '../parts/notices';
import { FailedLoad, Nothing } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { Amount, LocalTime, MonthFigure } from '../parts/values';
import { useLoaded } from '../requests';
import { experimentPath } from '../routes';
import { client, hasScope } from '../session';
import { ExperimentActions } from './experiment-actions';
import { ExperimentFindings } from './findings';
import { isTemporary, useFollowed } from './follow';
import { RowsTable } from './rows-table';
import { type ListPage, Paged, useLatest } from './use-pages';
import { byPlace, experimentStateText, experimentTitle, isEnded, openRowsText, timeLeftText } from './words';

// The list and the screen of an experiment are one chunk; the form of a new one is another.

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
function Progress({
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

/** The figures of a running experiment change with every row; they are asked for this often. */
const REFRESH_MS = 5000;

/** One experiment: how far it is, what it found, and its rows. */
export function ExperimentScreen({ id }: { id: string }) {
  if (!hasScope('experiments:read'))
    return (
      <section class="experiments">
        <ScreenTitle title="Experiment" />
        <MissingScope scope="experiments:read" purpose="to show experiments" />
      </section>
    );
  return <FollowedExperiment id={id} />;
}

function FollowedExperiment({ id }: { id: string }) {
  const { experiment, failure, restart } = useFollowed(id);
  const shown = experiment.value;
  return (
    <section class="experiments">
      <ScreenTitle title={shown === undefined ? 'Experiment' : experimentTitle(shown)} />
      {failure.value !== undefined && <Failure error={failure.value} isShown={shown !== undefined} restart={restart} />}
      {shown === undefined && failure.value === undefined && <Skeleton lines={6} />}
      {shown !== undefined && (
        <Shown
          experiment={shown}
          onChanged={(next) => {
            experiment.value = next;
            restart();
          }}
        />
      )}
    </section>
  );
}

function Failure({ error, isShown, restart }: { error: CompareError; isShown: boolean; restart: () => void }) {
  if (error.status === 404)
    return (
      <Banner kind="warning">
        <span>There is no experiment at this address: it belongs to another user, or never existed.</span>{' '}
        <a href="/experiments">To the experiments</a>
      </Banner>
    );
  if (isShown && isTemporary(error))
    return <Banner kind="warning">The service cannot be reached. The page keeps trying.</Banner>;
  return <FailedLoad error={error} onRetry={restart} />;
}

function Shown({ experiment, onChanged }: { experiment: Experiment; onChanged: (next: Experiment) => void }) {
  const { experiment_id: id, state, rows, reason_detail: detail, prompt } = experiment;
  const before = useRef(state);
  useEffect(() => {
    announce(`The experiment is ${experimentStateText(experiment)}`);
    // A button that had the focus may be gone.
    if (before.current !== state && document.activeElement === document.body)
      document.querySelector<HTMLElement>('h1')?.focus();
    before.current = state;
  }, [state]);
  const refresh =
    state === 'running' ? String(Math.floor(monotonicMs() / REFRESH_MS)) : `${state} ${rows.done} ${rows.failed}`;
  const {
    value: summary,
    error,
    retry,
  } = useLatest((signal) => client().experiments.summary(id, { signal }), [id, refresh]);
  const isMissing = rows.failed > 0 || (summary?.models.some(({ failed }) => failed > 0) ?? false);
  return (
    <>
      <Head experiment={experiment} summary={summary} />
      {detail !== null && <Banner kind="warning">{detail}</Banner>}
      {hasScope('experiments') && (
        <ExperimentActions experiment={experiment} isMissing={isMissing} onChanged={onChanged} />
      )}
      {prompt !== null && (
        <Fold class="experiment-prompt" summary="Prompt">
          {() => (
            <p dir="auto" class="experiment-text">
              {prompt}
            </p>
          )}
        </Fold>
      )}
      {error !== undefined && <FailedLoad error={error} onRetry={retry} />}
      {summary !== undefined && <ExperimentFindings summary={summary} />}
      <RowsTable experiment={experiment} summary={summary} refresh={refresh} />
    </>
  );
}

function Head({ experiment, summary }: { experiment: Experiment; summary: ExperimentSummary | undefined }) {
  const { state, created_at: created, models } = experiment;
  return (
    <>
      <p class="experiment-facts">
        <strong class="experiment-state" data-state={state}>
          {experimentStateText(experiment)}
        </strong>
        {byPlace(models, summary?.ranking, (model) => model).map((model) => (
          <span key={model}>
            <ModelName model={model} models={models} />
          </span>
        ))}
        <span class="quiet">
          started <LocalTime timestamp={created} />
        </span>
      </p>
      {state === 'erased' && (
        <Banner kind="note">The prompt, the inputs and the answers were erased. Figures and charges stay.</Banner>
      )}
      <Progress experiment={experiment} />
      <Totals experiment={experiment} />
    </>
  );
}

function Totals({ experiment }: { experiment: Experiment }) {
  const { state, rows, eta_seconds: left, finished_at: finished } = experiment;
  return (
    <dl class="month-figures">
      <MonthFigure name="Rows" note={openRowsText(rows)}>
        {groupDigits(rows.done)} done
      </MonthFigure>
      <MonthFigure
        name="Cost"
        note={
          <>
            of the cap of <Amount exact={experiment.max_cost_usd} />
          </>
        }
      >
        <Amount exact={experiment.cost_usd} />
      </MonthFigure>
      <MonthFigure
        name="Charged"
        note={
          <>
            at most <Amount exact={experiment.max_charge_usd} />
          </>
        }
      >
        <Amount exact={experiment.charge_usd} />
      </MonthFigure>
      {finished === null ? (
        <MonthFigure name="Time left">{state === 'running' ? timeLeftText(left) : DASH}</MonthFigure>
      ) : (
        <div class="month-figure">
          <dt>Ended</dt>
          <dd>
            <LocalTime timestamp={finished} />
          </dd>
        </div>
      )}
    </dl>
  );
}
