import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { LazyAnswers, loadAnswers } from '../chunks';
import { monotonicMs } from '../clock';
import type { AnswerActions } from '../compare/answers/answer-actions';
import { CompareForm } from '../compare/form/compare-form';
import { continuation } from '../compare/form/continuation';
import { startEstimating } from '../compare/form/estimate-line';
import { contentOf } from '../compare/form/form-content';
import {
  changeForm,
  focusField,
  focusRun,
  formContent,
  isFormFolded,
  showForm,
  shownPart,
  useFragment,
} from '../compare/form/form-state';
import { DEFAULT_MAX_TOKENS } from '../compare/limits';
import { loadModels } from '../compare/models/model-list';
import { currentRun, resumeRun, runAgain, startRun } from '../compare/run/current-run';
import type { LiveRun } from '../compare/run/live-run';
import { RunNotices, useCountdown } from '../compare/run/run-notices';
import { useEscape, useKeys } from '../parts/keyboard';
import { ScreenTitle } from '../parts/screen-title';
import { prefs } from '../prefs';

/** Least width of a column, of a compact one, and width of the form, in rem, as in the style sheet. */
const COLUMN_REM = 19;
const COMPACT_REM = 14;
const FORM_REM = 22;
const DOUBLE_CLICK_MS = 500;

/** Write once, watch them all. */
export function CompareScreen() {
  const screen = useRef<HTMLDivElement>(null);
  const answers = useRef<HTMLElement>(null);
  const run = currentRun.value;
  const isWatching = run !== undefined && ['sending', 'watching', 'finding'].includes(run.phase.value);
  const waitSeconds = useCountdown(run?.phase.value === 'refused' ? run.mayRunAgainAt : undefined);
  const show = (models: number): void => showAnswers(screen.current, answers.current, models);
  useLoading(show);
  useFragment();
  useScreenKeys(run);
  useFocusKept(answers, run, isWatching);
  const onRun = (): void => {
    if (!isWatching && waitSeconds === 0 && startRun()) show(currentRun.peek()?.columns.length ?? 0);
  };
  return (
    <div class="compare" ref={screen} data-folded={isFormFolded.value} data-part={shownPart.value}>
      <ScreenTitle title="Compare" hidden />
      <div class="form-pane">
        <button
          type="button"
          class="fold-button button-quiet"
          title="Hide the form: ["
          aria-label="Hide the form"
          onClick={() => foldForm(answers.current)}
        >
          «
        </button>
        <CompareForm {...{ isWatching, waitSeconds, onRun }} onStop={() => stopDeliberately(run)} />
      </div>
      <section class="answers-pane" ref={answers} tabIndex={-1} aria-label="Answers">
        {run === undefined ? (
          <Nothing />
        ) : (
          <RunAnswers
            run={run}
            isWatching={isWatching}
            waitSeconds={waitSeconds}
            onAgain={() => {
              runAgain();
              show(run.columns.length);
            }}
          />
        )}
      </section>
    </div>
  );
}

function Nothing() {
  return (
    <div class="nothing-yet">
      <FormButton />
      <p>Answers appear here side by side, each with its latency, speed and cost.</p>
    </div>
  );
}

function FormButton() {
  return (
    <button type="button" class="form-button" title="Show the form: [" onClick={() => goToField('prompt')}>
      ‹ Form
    </button>
  );
}

function RunAnswers({
  run,
  isWatching,
  waitSeconds,
  onAgain,
}: {
  run: LiveRun;
  isWatching: boolean;
  waitSeconds: number;
  onAgain: () => void;
}) {
  const { request } = run;
  // Nothing ran, so there are no answers to speak of.
  if (run.phase.value === 'refused' && run.refusal.value?.code !== 'all_models_failed')
    return (
      <div class="answers">
        <div class="pane-head">
          <FormButton />
        </div>
        <RunNotices run={run} waitSeconds={waitSeconds} />
      </div>
    );
  const actions: AnswerActions = {
    again: isWatching ? undefined : { label: 'Run again', title: 'Send the same request again', run: onAgain },
    askAgain: isWatching
      ? undefined
      : (model) => {
          changeForm({ ...contentOf(request), models: [model] });
          showForm();
          focusRun();
        },
    raiseLimit: ({ field, to }) => {
      changeForm({ [field]: String(to) });
      goToField(field);
    },
    continueWith: isWatching ? undefined : continuation(request, showForm),
  };
  return (
    <LazyAnswers
      key={run.idempotencyKey}
      source={run.source}
      options={{ max_tokens: Number(DEFAULT_MAX_TOKENS), ...request.options }}
      actions={actions}
      asked={{ ...request, ...request.options, format: request.options?.response_format }}
      lead={<PaneHead run={run} isWatching={isWatching} />}
    >
      <RunNotices run={run} waitSeconds={waitSeconds} />
    </LazyAnswers>
  );
}

function PaneHead({ run, isWatching }: { run: LiveRun; isWatching: boolean }) {
  return (
    <div class="pane-head">
      <FormButton />
      {isWatching && (
        <button type="button" class="stop-button" onClick={() => run.stopWatching()}>
          Stop watching
        </button>
      )}
    </div>
  );
}

function useLoading(show: (models: number) => void): void {
  const hasPrompt = formContent.value.prompt !== '';
  // Where this fails, the answers themselves try again, and say so.
  useEffect(() => {
    if (hasPrompt) loadAnswers().catch(() => undefined);
  }, [hasPrompt]);
  // Before the first paint: a form that folds away a moment later takes what somebody types into it along.
  useLayoutEffect(() => {
    void loadModels();
    const resumed = resumeRun();
    if (resumed !== undefined) show(resumed.columns.length);
    return startEstimating();
  }, []);
}

function useScreenKeys(run: LiveRun | undefined): void {
  useKeys({
    p: () => goToField('prompt'),
    m: () => goToField('models'),
    '[': () => {
      isFormFolded.value = !isFormFolded.value;
    },
  });
  useEscape(() => {
    if (run?.isOpen !== true) return false;
    run.stopWatching();
    return true;
  });
}

function goToField(field: Parameters<typeof focusField>[0]): void {
  showForm();
  focusField(field);
}

/** Not by the second click of a double click on Run, which has become this button. */
function stopDeliberately(run: LiveRun | undefined): void {
  if (run !== undefined && monotonicMs() - run.startedAt > DOUBLE_CLICK_MS) run.stopWatching();
}

/** A button that had the focus may go when a run begins or ends; the answers take it then. */
function useFocusKept(answers: RefObject<HTMLElement | null>, run: LiveRun | undefined, isWatching: boolean): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) answers.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [run, isWatching]);
}

function foldForm(answers: HTMLElement | null): void {
  isFormFolded.value = true;
  answers?.focus();
}

/** Brings the answers into view. The form folds away where all columns fit only then. */
function showAnswers(screen: HTMLElement | null, answers: HTMLElement | null, models: number): void {
  shownPart.value = 'answers';
  if (screen === null) return;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [needed, width] = [
    models * (prefs.peek().compact && models > 2 ? COMPACT_REM : COLUMN_REM),
    screen.clientWidth / rem,
  ];
  if (needed > width - FORM_REM && needed <= width) isFormFolded.value = true;
  requestAnimationFrame(() => {
    const isFormShown = screen.querySelector('.compare-form')?.checkVisibility() ?? false;
    if (!isFormShown) answers?.focus();
  });
}
