import type { ModelAnswers } from './model-answers';

/** The button below an answer: of a model that failed it cannot be pressed. */
export function BetterButton({
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
