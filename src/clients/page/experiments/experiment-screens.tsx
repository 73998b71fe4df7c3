import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CompareError, Experiment, ExperimentSummary } from '../../client/client';
import { monotonicMs } from '../clock';
import { DASH, money } from '../compare/answers/figures';
import { groupDigits } from '../compare/limits';
import { ModelName } from '../compare/models/model-mark';
import { Fold } from '../parts/fold';
import { announce, Banner, MissingScope, Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { ScreenTitle } from '../parts/screen-title';
import { Amount, LocalTime, MonthFigure } from '../parts/values';
import { client, hasScope } from '../session';
import { ComparedExperiments } from './comparison';
import { DecisionActions, Tolerance, DecisionSentence } from './decision';
import { ExperimentActions } from './experiment-actions';
import { Progress } from './experiment-list';
import { ExperimentFindings, Pairs } from './findings';
import { isTemporary, useFollowed } from './follow';
import { JudgeLinks, JudgeIntro } from './judgment';
import { RowsMatrix } from './matrix';
import { useLatest } from './use-pages';
import { byPlace, experimentStateText, experimentTitle, isEnded, openRowsText, timeLeftText } from './words';

// The list, the screen and the votes of an experiment are one chunk; the form of a new one is another.
export { ExperimentListScreen } from './experiment-list';
export { VoteScreen } from './vote-screen';

/** Points that a model may be worse and still be taken, as a share. */
const DEFAULT_TOLERANCE = 0.02;
// eslint-disable-next-line local/plain-words -- the word of the interface
const CANCELED = 'cancelled';
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

interface ShownProps {
  experiment: Experiment;
  onChanged: (next: Experiment) => void;
}

function Shown({ experiment, onChanged }: ShownProps) {
  useAnnouncedState(experiment);
  const tolerance = useSignal(experiment.decision?.tolerance ?? DEFAULT_TOLERANCE);
  const { summary, error, retry, refresh } = useSummary(experiment, tolerance.value);
  const { state, decision } = experiment;
  const asked = <Asked experiment={experiment} />;
  return (
    <>
      {summary !== undefined && summary.rows > 0 && <DecisionSentence decision={decision} summary={summary} />}
      <Head experiment={experiment} summary={summary} />
      <Actions experiment={experiment} summary={summary} tolerance={tolerance} onChanged={onChanged} />
      {!isEnded(experiment) && asked}
      {error !== undefined && <FailedLoad error={error} onRetry={retry} />}
      <ExperimentFindings summary={summary} decision={decision} />
      <JudgeLinks summary={summary} />
      <RowsMatrix key={state} experiment={experiment} summary={summary} refresh={refresh} />
      <Pairs summary={summary} />
      {state === 'finished' && <Compared experiment={experiment} />}
      {isEnded(experiment) && asked}
    </>
  );
}

function useSummary({ experiment_id: id, state, rows }: Experiment, tolerance: number) {
  const refresh =
    state === 'running' ? String(Math.floor(monotonicMs() / REFRESH_MS)) : `${state} ${rows.done} ${rows.failed}`;
  const { value: summary, ...latest } = useLatest(
    (signal) => client().experiments.summary(id, { tolerance, signal }),
    [id, refresh, tolerance],
  );
  return { summary, refresh, ...latest };
}

function useAnnouncedState(experiment: Experiment): void {
  const { state } = experiment;
  const before = useRef(state);
  useEffect(() => {
    announce(`The experiment is ${experimentStateText(experiment)}`);
    // A button that had the focus may be gone.
    if (before.current !== state && document.activeElement === document.body)
      document.querySelector<HTMLElement>('h1')?.focus();
    before.current = state;
  }, [state]);
}

function Actions({
  experiment,
  summary,
  tolerance,
  onChanged,
}: ShownProps & { summary: ExperimentSummary | undefined; tolerance: Signal<number> }) {
  const { state } = experiment;
  return (
    <>
      {hasScope('experiments') && (
        <ExperimentActions experiment={experiment} isMissing={isMissing(experiment, summary)} onChanged={onChanged} />
      )}
      {(state === 'finished' || state === CANCELED) && (
        <DecisionActions
          experiment={experiment}
          recommended={summary?.recommendation?.model}
          tolerance={tolerance.value}
          onChanged={onChanged}
        />
      )}
      {isRecommended(summary) && <Tolerance tolerance={tolerance} />}
    </>
  );
}

/** True if some model gave no answer. */
function isMissing({ rows }: Experiment, summary: ExperimentSummary | undefined): boolean {
  return rows.failed > 0 || (summary?.models.some(({ failed }) => failed > 0) ?? false);
}

/** True if a model is recommended by how often it passes, so that a tolerance may change which. */
function isRecommended(summary: ExperimentSummary | undefined): boolean {
  return summary?.ranking?.metric === 'passed' && typeof summary.recommendation?.model === 'string';
}

/** The progress and the prompt: above the figures while it runs, below them in the end. */
function Asked({ experiment }: { experiment: Experiment }) {
  const { prompt, judge } = experiment;
  return (
    <>
      <Progress experiment={experiment} />
      <Totals experiment={experiment} />
      {prompt !== null && judge === null && (
        <Fold class="experiment-prompt" summary="Prompt">
          {() => (
            <p dir="auto" class="experiment-text">
              {prompt}
            </p>
          )}
        </Fold>
      )}
    </>
  );
}

/** Open at once after another prompt was tried. */
function Compared({ experiment }: { experiment: Experiment }) {
  if (experiment.judge !== null) return null;
  const against = new URLSearchParams(location.search).get('against') ?? undefined;
  return (
    <Fold class="finding" isOpen={against !== undefined} summary={<h2>What changed since an earlier experiment?</h2>}>
      {() => <ComparedExperiments experiment={experiment} against={against} />}
    </Fold>
  );
}

function Head({ experiment, summary }: { experiment: Experiment; summary: ExperimentSummary | undefined }) {
  const { state, reason_detail: detail, created_at: created, models, judge } = experiment;
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
      {judge !== null && <JudgeIntro judge={judge} />}
      {detail !== null && <Banner kind="warning">{detail}</Banner>}
      {state === 'erased' && (
        <Banner kind="note">The prompt, the inputs and the answers were erased. Figures and charges stay.</Banner>
      )}
    </>
  );
}

function Totals({ experiment }: { experiment: Experiment }) {
  const { state, rows, eta_seconds: left, finished_at: finished, projected_cost_usd: projected } = experiment;
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
            {projected !== null && <>, likely {money(projected).text} in all</>}
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
