import { useSignal } from '@preact/signals';
import { CheckEditor, Help } from './evaluation-parts';
import { ProblemText, NumberField } from './field';
import { evaluationText } from './form-content';
import { fieldId, fieldProblems, formContent } from './form-state';

const CHECKS = fieldId('checks');

/** Calls of each model, and what a good answer is; folded, with the counts in the fold. */
export function EvaluationFold() {
  // The code for the checks comes with the first unfolding.
  const wasOpen = useSignal(false);
  const { samples, checks } = fieldProblems.value;
  const hasProblem = samples !== undefined || checks !== undefined;
  return (
    <details
      class="options evaluation-fold"
      onToggle={(event) => {
        wasOpen.value ||= event.currentTarget.open;
      }}
    >
      <summary>
        <span>Checks and samples</span>
        <span class="quiet options-values">{evaluationText(formContent.value)}</span>
        {hasProblem && (
          <span class="problem" aria-hidden="true">
            ▲
          </span>
        )}
      </summary>
      <div class="options-fields">
        <NumberField
          field="samples"
          label="Samples"
          placeholder="1"
          hint="Calls of each model"
          help={
            wasOpen.value && (
              <Help about="samples" anchor="samples">
                Each model is asked this often, because one answer proves little. Every call is charged.
              </Help>
            )
          }
        />
        <div
          id={CHECKS}
          data-field="checks"
          tabIndex={-1}
          role="group"
          aria-label="Checks"
          aria-describedby={checks === undefined ? undefined : `${CHECKS}-problem`}
        >
          <p>
            <strong>Checks</strong>{' '}
            {wasOpen.value && (
              <Help about="checks" anchor="checks">
                A check is a rule that a program decides, such as “contains Paris”. Checks ask no model and cost
                nothing.
              </Help>
            )}
          </p>
          <ProblemText id={CHECKS} problem={checks} />
          {wasOpen.value && <CheckEditor />}
        </div>
      </div>
    </details>
  );
}
