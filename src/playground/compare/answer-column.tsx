import { useComputed, type ReadonlySignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Eval } from '../../client/client';
import type { AnswerActions } from './answer-actions';
import { AnswerBody } from './answer-body';
import { AnswerFigures } from './answer-figures';
import { CopyButton } from './copy-button';
import { DifferenceText } from './difference-text';
import type { DifferenceView } from './difference-view';
import { figuresOf } from './figures';
import { Icon } from './icons';
import { isOpen, type ColumnState } from './run';

/** What a column needs beside its own state. */
export interface ColumnProps {
  column: ReadonlySignal<ColumnState>;
  /** From 1, as the keys count. */
  number: number;
  stored: Eval | undefined;
  startedAt: number | undefined;
  maxTokens: number | undefined;
  actions: AnswerActions;
  isExpanded: boolean;
  onExpand: () => void;
  /** Set on the column that shows its differences from another. */
  differences: DifferenceView | undefined;
  /** Whether the differences are from this one. */
  isBase: boolean;
}

/** The element of the answer with that number, for the keys and the links that go there. */
export function answerElement(number: number): HTMLElement | null {
  return document.getElementById(`answer-${number}`);
}

/** One model's answer: name, badges and figures on top, the text below. */
export function AnswerColumn({ column, number, stored, startedAt, isExpanded, onExpand, differences, isBase, ...rest }: ColumnProps) {
  // Text changes at every frame; what stands above it only when the model begins and ends.
  const phase = useComputed(() => column.value.phase).value;
  const result = useComputed(() => column.value.result).value;
  const heading = useId();
  const { model } = column.peek();
  return (
    <article id={`answer-${number}`} class="answer" tabIndex={-1} aria-labelledby={heading} aria-busy={isOpen({ phase })} data-phase={phase} data-expanded={isExpanded}>
      <div class="answer-top">
        <header class="answer-head">
          <h2 id={heading} title={result?.provider}>{model}</h2>
          {phase === 'ended' && <CopyButton text={() => column.peek().text} what={`Answer of ${model}`} label={`Copy the answer of ${model}`} title="Copy this answer" class="button-icon"><Icon name="copy" /></CopyButton>}
          <button type="button" class="button-icon" aria-pressed={isExpanded} aria-label={`Expand ${model}`} title={isExpanded ? 'Back to all answers' : 'This answer alone'} onClick={onExpand}>
            <Icon name={isExpanded ? 'collapse' : 'expand'} />
          </button>
        </header>
        <Badges model={model} phase={phase} stored={stored} attempts={figuresOf(result).attempts} isBase={isBase} />
        <AnswerFigures phase={phase} result={result} startedAt={startedAt} />
      </div>
      <div class="answer-body">
        {differences === undefined ? <AnswerBody column={column} phase={phase} startedAt={startedAt} {...rest} /> : <DifferenceText view={differences} text={column.peek().text} />}
      </div>
    </article>
  );
}

interface BadgesProps extends Pick<ColumnState, 'model' | 'phase'> {
  stored: Eval | undefined;
  attempts: string | undefined;
  isBase: boolean;
}

/** Each says in words what its color and sign say. */
function Badges({ model, phase, stored, attempts, isBase }: BadgesProps) {
  return (
    <p class="badges">
      {stored?.meta.fastest_model === model && <span class="badge badge-fastest"><i aria-hidden="true">●</i> Fastest</span>}
      {stored?.meta.cheapest_model === model && <span class="badge badge-cheapest"><i aria-hidden="true">●</i> Cheapest</span>}
      {phase === 'failed' && <span class="badge badge-failed"><i aria-hidden="true">▲</i> Failed</span>}
      {phase === 'writing' && <span class="badge">Writing</span>}
      {isBase && <span class="badge badge-base">Base of the differences</span>}
      {attempts !== undefined && <span class="badge">{attempts}</span>}
    </p>
  );
}
