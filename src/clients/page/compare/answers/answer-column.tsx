import { useComputed } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Eval } from '../../../client/client';
import { cheapestPassing } from '../../../client/lead';
import { substituteOf } from '../../../client/substitute';
import { SampleSwitch, Verdicts } from '../../chunks';
import { CopyButton } from '../../parts/copy-button';
import { Icon } from '../../parts/icons';
import { DifferenceText, type DifferenceView } from '../differences/difference-view';
import { countVerdicts, type PassedCount, verdictsOf } from '../evaluated';
import { pluralize } from '../limits';
import { BreakableName, ModelMark } from '../models/model-mark';
import { type ColumnState, isOpen, type SentOptions } from '../run/run';
import type { AnswerActions } from './answer-actions';
import { AnswerBody } from './answer-body';
import { AnswerFigures } from './answer-figures';
import { effortText } from './answer-outcome';
import { figuresOf } from './figures';
import type { ModelAnswers } from './model-answers';

/** The props of a column beside its state. */
interface ColumnProps {
  answers: ModelAnswers;
  /** All shown models. */
  models: readonly string[];
  /** From 1, as the keys count. */
  number: number;
  stored: Eval | undefined;
  startedAt: number | undefined;
  options: SentOptions | undefined;
  actions: AnswerActions;
  isExpanded: boolean;
  onExpand: () => void;
  /** The differences that are shown, in this column or another. */
  differences: DifferenceView | undefined;
  /** Chooses this answer as the better one; undefined while none can be chosen. */
  onChoose: (() => void) | undefined;
  isChosen: boolean;
}

/** The element of the answer with that number, for the keys and the links that go there. */
export function answerElement(number: number): HTMLElement | null {
  return document.getElementById(`answer-${number}`);
}

/** One model's answer, or one of its answers: name, badges and figures on top, the text below. */
export function AnswerColumn(props: ColumnProps) {
  const { answers, number, startedAt, isExpanded, differences, onChoose, isChosen, options, actions } = props;
  const { column, positions } = answers;
  const sample = answers.shown.value;
  // Text changes at every frame; the head above it only when the model begins and ends.
  const phase = useComputed(() => column.value.phase).value;
  const result = useComputed(() => column.value.result).value;
  const heading = useId();
  const verdicts = verdictsOf(result);
  const position = positions[sample];
  const isBase = differences?.pair.base === position;
  const changes = differences?.pair.other === position ? differences : undefined;
  // Rounds begin one after the other; only of the first it is known when.
  const begunAt = sample === 0 ? startedAt : undefined;
  return (
    <article
      id={`answer-${number}`}
      class="answer"
      tabIndex={-1}
      aria-labelledby={heading}
      aria-busy={isOpen({ phase })}
      data-phase={phase}
      data-expanded={isExpanded}
      data-chosen={isChosen}
    >
      <AnswerTop {...props} {...{ heading, phase, result, isBase }} startedAt={begunAt} />
      <div class="answer-body">
        {verdicts.length > 0 && <Verdicts verdicts={verdicts} />}
        {changes === undefined ? (
          <AnswerBody
            column={column}
            sample={sample}
            phase={phase}
            startedAt={begunAt}
            options={options}
            isPlain={isBase}
            actions={actions}
          />
        ) : (
          <DifferenceText view={changes} text={column.peek().text} />
        )}
      </div>
      <BetterButton answers={answers} onChoose={onChoose} />
    </article>
  );
}

interface TopProps extends ColumnProps, Pick<ColumnState, 'phase' | 'result'> {
  /** The id of the heading. */
  heading: string;
  isBase: boolean;
}

function AnswerTop(props: TopProps) {
  const { answers, models, heading, phase, result, isExpanded, onExpand } = props;
  const { model, column, positions } = answers;
  return (
    <div class="answer-top">
      <Head
        heading={heading}
        model={model}
        models={models}
        provider={result?.provider}
        text={phase === 'ended' ? () => column.peek().text : undefined}
        isExpanded={isExpanded}
        onExpand={onExpand}
      />
      <Badges {...props} model={model} isSample={positions.length > 1} />
      <AnswerFigures {...props} model={model} column={column} />
      {positions.length > 1 && <SampleSwitch answers={answers} />}
    </div>
  );
}

interface HeadProps extends Pick<ColumnProps, 'models' | 'isExpanded' | 'onExpand'> {
  /** The id of the heading. */
  heading: string;
  model: string;
  provider: string | undefined;
  /** The text to copy; undefined before the answer has ended. */
  text: (() => string) | undefined;
}

function Head({ heading, model, models, provider, text, isExpanded, onExpand }: HeadProps) {
  return (
    <header class="answer-head">
      <ModelMark model={model} models={models} />
      <h2 id={heading} title={provider}>
        <BreakableName model={model} />
      </h2>
      {text !== undefined && (
        <CopyButton
          text={text}
          what={`Answer of ${model}`}
          label={`Copy the answer of ${model}`}
          title="Copy this answer"
          class="button-icon"
        >
          <Icon name="copy" />
        </CopyButton>
      )}
      <button
        type="button"
        class="button-icon"
        aria-pressed={isExpanded}
        aria-label={`Expand ${model}`}
        title={isExpanded ? 'Show all answers' : 'Show only this answer'}
        onClick={onExpand}
      >
        <Icon name={isExpanded ? 'collapse' : 'expand'} />
      </button>
    </header>
  );
}

interface BadgesProps extends Pick<TopProps, 'phase' | 'result' | 'options' | 'stored' | 'isBase' | 'isChosen'> {
  model: string;
  /** True if the model has other answers too. */
  isSample: boolean;
}

/** Each says in words what its color and sign say. */
function Badges({ model, phase, result, options, stored, isBase, isChosen, isSample }: BadgesProps) {
  const { attempts } = figuresOf(result);
  const checks = countVerdicts(verdictsOf(result));
  return (
    <p class="badges">
      {isChosen && (
        <span class="badge badge-chosen">
          <i aria-hidden="true">◆</i> Your choice
        </span>
      )}
      <PassingBadge stored={stored} model={model} />
      {phase === 'failed' && (
        <span class="badge badge-failed">
          <i aria-hidden="true">▲</i> Failed
        </span>
      )}
      {checks !== undefined && <CheckBadge {...checks} isSample={isSample} />}
      {phase === 'writing' && <span class="badge">Writing</span>}
      {isBase && <span class="badge badge-base">Base of the differences</span>}
      {attempts !== undefined && <span class="badge">{attempts}</span>}
      <Conditions model={model} result={result} options={options} />
    </p>
  );
}

/** Under what conditions the model answered: its effort, and its substitute. */
function Conditions({ model, result, options }: Pick<BadgesProps, 'model' | 'result' | 'options'>) {
  const [effort, substitute] = [effortText(model, options?.reasoning_effort, result), substituteOf(result)];
  return (
    <>
      {effort !== undefined && <span class="badge">{effort}</span>}
      {substitute !== undefined && (
        <span class="badge badge-substitute">
          <i aria-hidden="true">⚠</i> Answered by {substitute}
        </span>
      )}
    </>
  );
}

/** With checks, one badge: a cheap wrong answer is no merit. */
function PassingBadge({ stored, model }: Pick<BadgesProps, 'stored' | 'model'>) {
  return stored !== undefined && stored.models.length > 1 && cheapestPassing(stored) === model ? (
    <span class="badge badge-cheapest">
      <i aria-hidden="true">●</i> Cheapest that passes
    </span>
  ) : null;
}

function CheckBadge({ passed, of, isSample }: PassedCount & Pick<BadgesProps, 'isSample'>) {
  const isGood = passed === of;
  return (
    <span class={`badge badge-${isGood ? 'passed' : 'failed'}`}>
      <i aria-hidden="true">{isGood ? '✓' : '✗'}</i> {passed} of {pluralize(of, 'check')}{' '}
      {isSample ? 'in this sample' : 'passed'}
    </span>
  );
}

/** The button below an answer: of a model that failed it cannot be pressed. */
function BetterButton({
  answers: { model, answers },
  onChoose,
}: {
  answers: ModelAnswers;
  onChoose: (() => void) | undefined;
}) {
  if (onChoose === undefined) return null;
  return (
    <div class="answer-choice">
      <button
        type="button"
        aria-label={`Better: ${model}`}
        disabled={answers.every(({ value }) => value.phase !== 'ended')}
        onClick={onChoose}
      >
        Better
      </button>
    </div>
  );
}
