import { useComputed, type ReadonlySignal } from '@preact/signals';
import { prefs } from '../prefs';
import type { AnswerActions } from './answer-actions';
import { emptyAnswer, warningsOf } from './answer-outcome';
import { AnswerText } from './answer-text';
import { Elapsed } from './elapsed';
import { factsOf } from './evaluated';
import { FormattedText } from './formatted-text';
import { groupDigits } from './limits';
import type { ColumnError, ColumnPhase, ColumnState } from './run';

interface BodyProps {
  column: ReadonlySignal<ColumnState>;
  /** Which of the model's answers the column shows. */
  sample: number;
  phase: ColumnPhase;
  startedAt: number | undefined;
  maxTokens: number | undefined;
  actions: AnswerActions;
}

/** The text of an answer, or what there is instead, and its warnings. The text keeps its element from the first word to the last. */
export function AnswerBody({ column, sample, phase, startedAt, maxTokens, actions }: BodyProps) {
  const hasText = useComputed(() => column.value.text !== '').value && phase !== 'failed';
  const { model, error, result } = column.peek();
  return (
    <>
      {phase === 'waiting' && <p class="quiet">waiting{startedAt !== undefined && <> · <Elapsed since={startedAt} /></>}</p>}
      {phase === 'failed' && <Failure model={model} error={error} actions={actions} />}
      {hasText && <Text key={`text ${sample}`} column={column} isWriting={phase === 'writing'} />}
      {phase === 'lost' && <p class="quiet">{hasText ? 'The rest of this answer was not received.' : 'No answer was received.'}</p>}
      {phase === 'ended' && <Ending result={result} hasText={hasText} maxTokens={maxTokens} actions={actions} />}
    </>
  );
}

function Ending({ result, hasText, ...rest }: Pick<ColumnState, 'result'> & Pick<BodyProps, 'maxTokens' | 'actions'> & { hasText: boolean }) {
  if (isLeftOut(result)) return <p class="quiet">The link hides this answer.</p>;
  return <>{!hasText && <Empty result={result} {...rest} />}<Warnings result={result} /></>;
}

function Text({ column, isWriting }: { column: ReadonlySignal<ColumnState>; isWriting: boolean }) {
  return (
    <div class="answer-words" data-writing={isWriting}>
      {prefs.value.formatted ? <FormattedText column={column} isWriting={isWriting} /> : <AnswerText column={column} />}
    </div>
  );
}

function Failure({ model, error, actions: { askAgain } }: { model: string; error: ColumnError | undefined; actions: AnswerActions }) {
  return (
    <div class="failure">
      <p>{error?.message ?? 'The model failed.'}</p>
      <p class="failure-code"><code>{error?.code ?? 'unknown'}</code> · {error?.retryable === true ? 'a retry may succeed' : 'a retry will fail again'}</p>
      {askAgain !== undefined && <button type="button" onClick={() => askAgain(model)}>Call this model again</button>}
    </div>
  );
}

/** Somebody who shares an eval may leave the answers out. */
function isLeftOut(result: ColumnState['result']): boolean {
  return result !== undefined && factsOf(result)['output'] === undefined;
}

function Empty({ result, maxTokens, actions: { raiseLimit } }: Pick<ColumnState, 'result'> & { maxTokens: number | undefined; actions: AnswerActions }) {
  const { sentence, raiseTo } = emptyAnswer(result, maxTokens);
  return (
    <div class="empty-answer">
      <p>{sentence}</p>
      {raiseTo !== undefined && raiseLimit !== undefined && <button type="button" onClick={() => raiseLimit(raiseTo)}>Raise the limit to {groupDigits(raiseTo)}</button>}
    </div>
  );
}

function Warnings({ result }: Pick<ColumnState, 'result'>) {
  const warnings = warningsOf(result);
  if (warnings.length === 0) return null;
  return <ul class="warnings" aria-label="Warnings">{warnings.map(({ code, message }) => <li key={code} title={code}><i aria-hidden="true">⚠</i> {message}</li>)}</ul>;
}
