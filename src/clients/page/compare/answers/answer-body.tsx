import { type ReadonlySignal, useComputed, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useFormatted } from '../../chunks';
import { prefs } from '../../prefs';
import { factsOf } from '../evaluated';
import { groupDigits } from '../limits';
import type { ColumnError, ColumnPhase, ColumnState, SentOptions } from '../run/run';
import type { AnswerActions } from './answer-actions';
import { emptyAnswer, shownWarnings } from './answer-outcome';
import { Elapsed } from './elapsed';
import { GrowingText } from './growing-text';

interface BodyProps {
  column: ReadonlySignal<ColumnState>;
  /** Which of the model's answers the column shows. */
  sample: number;
  phase: ColumnPhase;
  startedAt: number | undefined;
  options: SentOptions | undefined;
  actions: AnswerActions;
  /** True for text without formatting whatever is preferred: it is compared with the text of another column. */
  isPlain: boolean;
}

/**
 * The text of an answer, or what there is instead, and its warnings. The text keeps its element from the first word to
 * the last.
 */
export function AnswerBody({ column, sample, phase, startedAt, options, actions, isPlain }: BodyProps) {
  const hasText = useComputed(() => /\S/.test(column.value.text)).value && phase !== 'failed';
  const { model, error } = column.peek();
  return (
    <>
      {phase === 'waiting' && (
        <p class="quiet">
          waiting
          {startedAt !== undefined && (
            <>
              {' '}
              · <Elapsed since={startedAt} />
            </>
          )}
        </p>
      )}
      {phase === 'failed' && <Failure model={model} error={error} actions={actions} />}
      {hasText && <Text key={`text ${sample}`} column={column} isWriting={phase === 'writing'} isPlain={isPlain} />}
      {phase === 'lost' && (
        <p class="quiet">{hasText ? 'The rest of this answer was not received.' : 'No answer was received.'}</p>
      )}
      {phase === 'ended' && <Ending column={column.peek()} hasText={hasText} options={options} actions={actions} />}
    </>
  );
}

function Ending({
  column: { text, result },
  hasText,
  ...rest
}: Pick<BodyProps, 'options' | 'actions'> & { column: ColumnState; hasText: boolean }) {
  const { continueWith } = rest.actions;
  if (isLeftOut(result)) return <p class="quiet">The link hides this answer.</p>;
  return (
    <>
      {!hasText && <Empty result={result} {...rest} />}
      <Warnings result={result} />
      {hasText && continueWith !== undefined && (
        <button type="button" class="continue-button button-quiet" onClick={() => continueWith(text)}>
          Continue with this answer
        </button>
      )}
    </>
  );
}

function Text({ column, isWriting, isPlain }: Pick<BodyProps, 'column' | 'isPlain'> & { isWriting: boolean }) {
  return (
    <div class="answer-words" data-writing={isWriting}>
      {prefs.value.formatted && !isPlain ? (
        <FormattedText column={column} isWriting={isWriting} />
      ) : (
        <AnswerText column={column} />
      )}
    </div>
  );
}

function Failure({
  model,
  error,
  actions: { askAgain },
}: {
  model: string;
  error: ColumnError | undefined;
  actions: AnswerActions;
}) {
  return (
    <div class="failure">
      <p>{error?.message ?? 'The model failed.'}</p>
      <p class="failure-code">
        <code>{error?.code ?? 'unknown'}</code> ·{' '}
        {error?.retryable === true ? 'a retry may succeed' : 'the same request will fail again'}
      </p>
      {error?.retryable === true && askAgain !== undefined && (
        <button type="button" onClick={() => askAgain(model)}>
          Call this model again
        </button>
      )}
    </div>
  );
}

/** Somebody who shares an eval may leave the answers out. */
function isLeftOut(result: ColumnState['result']): boolean {
  return result !== undefined && factsOf(result)['output'] === undefined;
}

function Empty({
  result,
  options,
  actions: { raiseLimit },
}: Pick<ColumnState, 'result'> & Pick<BodyProps, 'options' | 'actions'>) {
  const { sentence, raise } = emptyAnswer(result, options?.max_tokens);
  return (
    <div class="empty-answer">
      <p>{sentence}</p>
      {raise !== undefined && raiseLimit !== undefined && (
        <button type="button" onClick={() => raiseLimit(raise)}>
          {raise.field === 'room' ? 'Add room for thought:' : 'Raise the limit to'} {groupDigits(raise.to)}
        </button>
      )}
    </div>
  );
}

function Warnings({ result }: Pick<ColumnState, 'result'>) {
  const warnings = shownWarnings(result);
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {warnings.map(({ code, message }) => (
        <li key={code} title={code}>
          <i aria-hidden="true">⚠</i> {message}
        </li>
      ))}
    </ul>
  );
}

/** An answer with its formatting; as the text it is while the code for that is not there. */
function FormattedText({ column, isWriting }: { column: ReadonlySignal<ColumnState>; isWriting: boolean }) {
  const text = useComputed(() => column.value.text);
  const formatted = useFormatted();
  return formatted.kind === 'loaded' ? (
    <formatted.Component text={text} isWriting={isWriting} />
  ) : (
    <AnswerText column={column} />
  );
}

/**
 * An answer as the text it is. Only what is new is added to the page, so that a long answer costs no more than a short
 * one.
 */
function AnswerText({ column }: { column: ReadonlySignal<ColumnState> }) {
  const ref = useRef<HTMLDivElement>(null);
  const growing = useRef<GrowingText | undefined>(undefined);
  useSignalEffect(() => {
    const { text } = column.value;
    if (ref.current === null) return;
    growing.current ??= new GrowingText(ref.current);
    growing.current.show(text);
  });
  return <div ref={ref} class="answer-text" dir="auto" />;
}
