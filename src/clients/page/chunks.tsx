/// <reference types="vite/client" />
// All code that the first script does not have. An import() closes no circle: it runs when a part is first shown.
import type { ComponentType } from 'preact';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Banner, Skeleton } from './parts/notices';
import address from './style/evaluation.css?url';

const SCREEN = { isScreen: true };
let loading: Promise<void> | undefined;

/** Loads code together with the styles of what comes later; rejects where they cannot be had. */
async function withLaterStyles<Module>(module: Promise<Module>): Promise<Module> {
  const [loaded] = await Promise.all([module, loadStyles()]);
  return loaded;
}

function loadStyles(): Promise<void> {
  return (loading ??= new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => {
      link.remove();
      loading = undefined;
      reject(new Error('The styles could not be loaded.'));
    });
    link.href = address;
    document.head.append(link);
  }));
}

/** A part of code that `load` loads together with the later styles. */
function later<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  options?: typeof SCREEN,
): ComponentType<Props> {
  return lazyPart(async () => pick(await load()), options);
}

/** A whole screen; `id` is that of its address. */
function screen<Module>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<{ id: string }>,
): ComponentType<{ id: string }> {
  return later(load, pick, SCREEN);
}

// The screens of earlier evals are one chunk.
const loadRecords = () => withLaterStyles(import('./screens/record-screens'));
export const HistoryScreen = screen(loadRecords, (records) => records.HistoryScreen);
export const EvalScreen = screen(loadRecords, (records) => records.EvalScreen);
export const UsageScreen = screen(loadRecords, (records) => records.UsageScreen);
const loadShared = () => withLaterStyles(import('./share/shared-screen'));
export const SharedScreen = screen(loadShared, (share) => share.SharedScreen);
export const SharedVoteScreen = screen(loadShared, (share) => share.SharedVoteScreen);

const loadExperiments = () => withLaterStyles(import('./experiments/experiment-screens'));
export const ExperimentListScreen = screen(loadExperiments, (experiments) => experiments.ExperimentListScreen);
export const ExperimentScreen = screen(loadExperiments, (experiments) => experiments.ExperimentScreen);
export const VoteScreen = screen(loadExperiments, (experiments) => experiments.VoteScreen);
export const NewExperimentScreen = screen(
  () => withLaterStyles(import('./experiments/new-experiment-screen')),
  (experiments) => experiments.NewExperimentScreen,
);

/** The example data of experiments. */
export const loadExperimentExample = () => import('./experiments/example');

/** Loads the code of the answers; their styles are in the first sheet. */
export const loadAnswers = () => import('./compare/answers/answers');
/** The answers of a run; their code is loaded while the prompt is written. */
export const LazyAnswers = lazyPart(async () => (await loadAnswers()).Answers);
export const ExampleRun = lazyPart(async () => (await import('./example/example-run')).ExampleRun, SCREEN);
export const KeyboardList = lazyPart(async () => (await import('./parts/keyboard-list')).KeyboardList);
/** The texts of the examples. */
export const loadExamplePrompts = () => import('../../common/example-prompts');

// Parts that may follow answers.
export const useFormatted = lazyComponent(
  async () => (await withLaterStyles(import('./markdown/formatted'))).Formatted,
);
export const loadDifferences = () => import('./compare/differences/differences');
export const DifferenceBar = lazyPart(async () => (await import('./compare/differences/difference-bar')).DifferenceBar);
export const ChoiceFoot = later(
  () => withLaterStyles(import('./choice/choice-foot')),
  (choice) => choice.ChoiceFoot,
);
export const CodeDialog = later(
  () => withLaterStyles(import('./code/code-dialog')),
  (code) => code.CodeDialog,
);
export const ShareDialog = later(
  () => withLaterStyles(import('./share/share-dialog')),
  (share) => share.ShareDialog,
);

// Checks, samples, statistics and agreement come together when one of them is first needed.
const loadEvaluation = () => withLaterStyles(import('./evaluation/evaluation'));
export const Agreement = later(loadEvaluation, (evaluation) => evaluation.Agreement);
export const CheckEditor = later(loadEvaluation, (evaluation) => evaluation.CheckEditor);
export const EvaluationSummary = later(loadEvaluation, (evaluation) => evaluation.EvaluationSummary);
export const Help = later(loadEvaluation, (evaluation) => evaluation.Help);
export const SampleSwitch = later(loadEvaluation, (evaluation) => evaluation.SampleSwitch);
export const TurnEditor = later(loadEvaluation, (evaluation) => evaluation.TurnEditor);
export const Verdicts = later(loadEvaluation, (evaluation) => evaluation.Verdicts);

// Running again and comparing come together when one of them is first needed.
const loadDrift = () => withLaterStyles(import('./drift/drift'));
export const Drift = later(loadDrift, (drift) => drift.Drift);
export const EarlierEval = later(loadDrift, (drift) => drift.EarlierEval);
export const RerunDialog = later(loadDrift, (drift) => drift.RerunDialog);

/** A component whose code comes later: still waited for, not to be had, or there. */
type LazyComponent<Props> =
  { kind: 'waiting' } | { kind: 'failed' } | { kind: 'loaded'; Component: ComponentType<Props> };

/**
 * A hook that loads the code of a component when it is first shown, once for all who show it; after a failure the next
 * one tries again.
 */
function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): () => LazyComponent<Props> {
  const lazy = signal<LazyComponent<Props>>({ kind: 'waiting' });
  const begin = async (): Promise<void> => {
    if (lazy.value.kind === 'loaded') return;
    try {
      lazy.value = { kind: 'loaded', Component: await load() };
    } catch {
      // No network, or the service was renewed since this page was loaded.
      lazy.value = { kind: 'failed' };
    }
  };
  return function useLazyComponent() {
    useEffect(() => void begin(), []);
    return lazy.value;
  };
}

/**
 * A component whose code is loaded when it is first shown. Until then a part shows nothing, and a whole screen its
 * outline.
 */
function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isScreen = false } = {},
): ComponentType<Props> {
  const usePart = lazyComponent(load);
  return function LazyPart(props: Props) {
    const part = usePart();
    if (part.kind === 'loaded') return <part.Component {...props} />;
    if (part.kind === 'waiting') return isScreen ? <Skeleton /> : null;
    return isScreen ? (
      <Banner kind="failure">
        This part of the page could not be loaded.{' '}
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Banner>
    ) : (
      <p class="problem">This part of the page could not be loaded.</p>
    );
  };
}
