import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Eval } from '../../../client/client';
import { Agreement, ChoiceFoot, DifferenceBar, EvaluationSummary, loadDifferences } from '../../chunks';
import { Fold } from '../../parts/fold';
import { CopyByHand } from '../../parts/copy-button';
import { useEscape, useKeys } from '../../parts/keyboard';
import { announce } from '../../parts/notices';
import { prefs, setPrefs } from '../../prefs';
import { hasScope } from '../../session';
import { type ColumnPair, type DifferenceView, firstPair, goToChange, viewOf } from '../differences/difference-view';
import { definitionsOf } from '../evaluated';
import { MAX_MODELS } from '../limits';
import type { AnswersSource } from '../run/live-run';
import type { ColumnState, SentOptions } from '../run/run';
import type { AnswerActions } from './answer-actions';
import { AnswerColumn, answerElement } from './answer-column';
import { AnswerStrip, useShownColumns } from './answer-strip';
import { BarActions, SummaryLine } from './answers-bar';
import { Asked, type AskedTexts } from './asked';
import { type Judged, TIE, useJudged } from './judging';
import { answersByModel, type ModelAnswers, stepSample, useColumnStates } from './model-answers';

interface AnswersProps {
  source: AnswersSource;
  /** The options that were sent, where they are known. */
  options?: SentOptions | undefined;
  actions: AnswerActions;
  asked: AskedTexts;
  /** More of the request, below its texts. */
  facts?: ComponentChildren;
  /** True if they are shared by another user: then they can only be read and copied. */
  isShared?: boolean;
  /** Shown before the summary. */
  lead?: ComponentChildren;
  /** More findings on the answers, which name the models. */
  findings?: ComponentChildren;
  /** Shown above the answers and scrolls with them. */
  children?: ComponentChildren;
}

/**
 * Answers side by side: of a run while it is watched, or of a stored eval. It takes the height that is left, and all
 * its columns scroll together.
 */
export function Answers({ source, asked, facts, isShared = false, lead, children, ...rest }: AnswersProps) {
  const judged = useJudged(source, isShared);
  const { columns, stored, startedAt, isHidden } = judged;
  const { options, actions, findings }: Omit<AnswersProps, 'source' | 'asked'> = isHidden ? { actions: {} } : rest;
  const models = useMemo(() => answersByModel(columns, source.startedAt !== undefined), [columns, isHidden]);
  const names = useMemo(() => models.map(({ model }) => model), [models]);
  const states = useColumnStates(columns);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useShownColumns(scroller, models.length);
  const expansion = useExpansion();
  const differences = useDifferences(states, models);
  useAnswerKeys(expansion, differences, models, judged);
  const shownAnswers = { judged, models, names, states, options, actions, isShared, lead, expansion, differences };
  return (
    <div
      class="answers"
      data-blind={blindState(source, judged)}
      data-expanded={expansion.number !== undefined}
      data-compact={prefs.value.compact && models.length > 2}
      data-all={shown.before + shown.after === 0}
    >
      <AnswersBar {...shownAnswers} />
      {models.length > 1 && (
        <AnswerStrip
          models={models}
          names={names}
          stored={stored}
          startedAt={startedAt}
          shown={shown}
          expanded={expansion.number}
          onGoTo={expansion.goTo}
        />
      )}
      <div class="answers-scroller" ref={scroller}>
        <div class="answers-content" style={{ '--count': models.length }}>
          <div class="answers-lead">
            <Asked texts={asked}>{facts}</Asked>
            {children}
            {stored !== undefined && !isShared && <Findings stored={stored} />}
            {findings}
          </div>
          <AnswersRow {...shownAnswers} />
        </div>
      </div>
      <ChoiceFoot judged={judged} names={names} current={expansion.number ?? shown.current} />
      <CopyByHand />
    </div>
  );
}

interface ShownAnswers extends Pick<AnswersProps, 'actions' | 'options' | 'isShared' | 'lead'> {
  judged: Judged;
  models: readonly ModelAnswers[];
  names: readonly string[];
  states: readonly ColumnState[];
  expansion: Expansion;
  differences: ShownDifferences;
}

function AnswersBar({ judged: { columns, stored }, models, states, isShared = false, ...rest }: ShownAnswers) {
  const { actions, lead, expansion, differences } = rest;
  return (
    <div class="answers-bar">
      {lead}
      <SummaryLine
        columns={columns}
        stored={stored}
        onGoTo={(position) => expansion.goTo(showAnswer(models, position))}
      />
      <BarActions
        columns={columns}
        models={models.length}
        stored={isShared ? undefined : stored}
        actions={actions}
        isDifferent={differences.view !== undefined}
        onDifferences={differences.toggle}
      />
      {differences.view !== undefined && (
        <DifferenceBar columns={states} view={differences.view} onPair={differences.show} />
      )}
    </div>
  );
}

function AnswersRow({ judged, models, names, options, actions, expansion, differences }: ShownAnswers) {
  return (
    <div class="answers-row">
      {models.map((answers, index) => (
        <AnswerColumn
          key={index}
          answers={answers}
          models={names}
          number={index + 1}
          stored={judged.stored}
          startedAt={judged.startedAt}
          options={options}
          actions={actions}
          isExpanded={expansion.number === index + 1}
          onExpand={() => expansion.toggle(index + 1)}
          differences={differences.view}
          onChoose={judged.choose && (() => judged.choose?.(judged.order[index]))}
          isChosen={judged.chosen === judged.order[index]}
        />
      ))}
    </div>
  );
}

/** For the styles: names that were hidden turn round. */
function blindState({ columns }: AnswersSource, judged: Judged): string {
  return judged.isHidden ? 'hidden' : judged.columns === columns ? 'never' : 'revealed';
}

/** Makes the column of its model show an answer, by its position from 0; gives the number of that column. */
function showAnswer(models: readonly ModelAnswers[], position: number): number {
  const index = models.findIndex(({ positions }) => positions.includes(position));
  const answers = models[index];
  if (answers !== undefined && answers.answers.length > 1) answers.chosen.value = answers.positions.indexOf(position);
  return index + 1;
}

/** The answer that is shown alone, by its number from 1. */
interface Expansion {
  number: number | undefined;
  toggle: (number: number) => void;
  /** Brings an answer into view, in the position of the single shown answer. */
  goTo: (number: number) => void;
}

function useExpansion(): Expansion {
  const expanded = useSignal<number | undefined>(undefined);
  useEscape(() => {
    if (expanded.value === undefined) return false;
    expanded.value = undefined;
    return true;
  });
  return {
    number: expanded.value,
    toggle: (number) => {
      expanded.value = number === expanded.value ? undefined : number;
    },
    goTo: (number) => {
      if (expanded.value !== undefined) expanded.value = number;
      // The column may have been hidden until now.
      requestAnimationFrame(() => showColumn(number));
    },
  };
}

interface ShownDifferences {
  view: DifferenceView | undefined;
  toggle: () => void;
  show: (pair: ColumnPair | undefined) => void;
}

function useDifferences(states: readonly ColumnState[], models: readonly ModelAnswers[]): ShownDifferences {
  const view = useSignal<DifferenceView | undefined>(undefined);
  const latest = useRef<ColumnPair | undefined>(undefined);
  const find = async (pair: ColumnPair): Promise<void> => {
    const found = await viewOf(pair, states, loadDifferences).catch(() =>
      announce('The differences could not be loaded.'),
    );
    if (latest.current !== pair || found === undefined) return;
    view.value = found;
    const number = showAnswer(models, pair.other);
    requestAnimationFrame(() => scrollSideways(answerElement(number)));
  };
  const show = (pair: ColumnPair | undefined): void => {
    latest.current = pair;
    if (pair === undefined) view.value = undefined;
    else void find(pair);
  };
  const toggle = (): void => {
    const positions = models.map((answers) => answers.positions[answers.shown.peek()] ?? 0);
    show(view.value === undefined ? firstPair(states, positions) : undefined);
  };
  return { view: view.value, show, toggle };
}

/** Brings an answer into view and gives it the focus. */
function showColumn(number: number): void {
  const element = answerElement(number);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest', inline: 'start' });
}

/** Scrolls the row of answers, and nothing up or down, until this one is in view. */
function scrollSideways(answer: HTMLElement | null): void {
  const scroller = [answer?.closest('.answers-row'), answer?.closest('.answers-scroller')].find(
    (element) => element && element.scrollWidth > element.clientWidth,
  );
  if (!answer || !scroller) return;
  const [inner, outer] = [answer.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) scroller.scrollBy({ left: inner.left - outer.left });
}

/** The number of the answer that holds the focus. */
function focusedNumber(): number | undefined {
  const id = document.activeElement?.closest('.answer')?.id;
  return id === undefined ? undefined : Number(id.replace('answer-', ''));
}

function useAnswerKeys(
  { number, goTo, toggle }: Expansion,
  differences: ShownDifferences,
  models: readonly ModelAnswers[],
  { order, choose, isHidden }: Judged,
): void {
  const step = (by: 1 | -1) => () => {
    for (const answers of models) stepSample(answers, by);
  };
  useKeys({
    s: step(1),
    S: step(-1),
    ...Object.fromEntries(
      Array.from({ length: MAX_MODELS }, (_, i) => [
        String(i + 1),
        () => (isHidden && choose !== undefined ? choose(order[i]) : goTo(i + 1)),
      ]),
    ),
    0: () => choose?.(TIE),
    b: () => choose?.(order[(focusedNumber() ?? number ?? 0) - 1]),
    e: () => toggle(focusedNumber() ?? number ?? 1),
    d: differences.toggle,
    n: () => {
      if (differences.view !== undefined) goToChange(differences.view, 1);
    },
    t: () => setPrefs({ formatted: !prefs.value.formatted }),
  });
}

/** The findings of an eval, above its answers: its samples and checks and, on request, which models agree. */
function Findings({ stored }: { stored: Eval }) {
  const answered = new Set(stored.results.flatMap(({ model, error }) => (error === undefined ? [model] : []))).size;
  const hasSummary = stored.results.length > stored.models.length && stored.statistics !== undefined;
  return (
    <div class="findings">
      {(hasSummary || definitionsOf(stored).length > 0) && <EvaluationSummary stored={stored} />}
      {answered > 1 && hasScope('evals:read') && (
        <Fold class="finding" summary={<h2>Do the models agree?</h2>}>
          {() => <Agreement evalId={stored.eval_id} />}
        </Fold>
      )}
    </div>
  );
}
