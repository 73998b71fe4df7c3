import { useSignal } from '@preact/signals';
import { CheckEditor, Help, TurnEditor } from '../../chunks';
import { DEFAULT_MAX_TOKENS, DEFAULT_TEMPERATURE, pluralize } from '../limits';
import { EFFORTS } from '../models/model-list';
import { ChoiceField, NumberField, ProblemText, TextField } from './field';
import { evaluationText, optionsText } from './form-content';
import { fieldId, fieldProblems, formContent } from './form-state';

const FIELDS = ['temperature', 'maxTokens', 'maxCostUsd', 'system', 'effort', 'room', 'format', 'exact'] as const;

/**
 * System message, form of the answers, effort, limits of tokens, temperature and, if a compare has one, ceiling;
 * folded, with the values in the fold.
 */
export function OptionsFold({ hasCeiling = true }: { hasCeiling?: boolean }) {
  return (
    <details class="options">
      <summary>
        <span>Options</span>
        <span class="quiet options-values">{optionsText(formContent.value, hasCeiling)}</span>
        {FIELDS.some((field) => fieldProblems.value[field] !== undefined) && (
          <span class="problem" aria-hidden="true">
            ▲
          </span>
        )}
      </summary>
      <div class="options-fields">
        <TextField field="system" label="System message" rows={2} placeholder="Every model receives this first" />
        <TextField
          field="format"
          label="Answer as JSON"
          rows={1}
          placeholder="any text"
          hint="json, or a JSON Schema"
        />
        <ChoiceField
          field="effort"
          label="Effort"
          choices={EFFORTS}
          empty="vendor’s default"
          hint="how much models think"
        />
        <NumberField field="room" label="Room for thought" placeholder="by model" hint="tokens beyond max tokens" />
        <ChoiceField
          field="exact"
          label="Exact model"
          choices={['required']}
          empty="not required"
          hint="a substitute’s answer fails and costs nothing"
        />
        <NumberField field="temperature" label="Temperature" placeholder={DEFAULT_TEMPERATURE} hint="0 to 2" />
        <NumberField field="maxTokens" label="Max tokens" placeholder={DEFAULT_MAX_TOKENS} hint="for each answer" />
        {hasCeiling && (
          <NumberField
            field="maxCostUsd"
            label="Cost limit, $"
            placeholder="none"
            hint="A run that could cost more is rejected"
          />
        )}
      </div>
    </details>
  );
}

const CHECKS = fieldId('checks');
const SAMPLES_HELP = (
  <Help about="samples" anchor="samples">
    Each model is asked this often, because one answer proves little. Every call is charged.
  </Help>
);
const CHECKS_HELP = (
  <Help about="checks" anchor="checks">
    A check is a rule that a program decides, such as “contains Paris”. Checks ask no model and cost nothing.
  </Help>
);

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
          help={wasOpen.value && SAMPLES_HELP}
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
            <strong>Checks</strong> {wasOpen.value && CHECKS_HELP}
          </p>
          <ProblemText id={CHECKS} problem={checks} />
          {wasOpen.value && <CheckEditor />}
        </div>
      </div>
    </details>
  );
}

const TURNS = fieldId('history');

/** The turns of a conversation before the prompt; folded, with their count in the fold. */
export function TurnsFold() {
  const wasOpen = useSignal(false);
  const { length } = formContent.value.history;
  const problem = fieldProblems.value.history;
  return (
    <details
      id={TURNS}
      class="options"
      data-field="history"
      tabIndex={-1}
      aria-label="Earlier turns"
      aria-describedby={problem === undefined ? undefined : `${TURNS}-problem`}
      onToggle={(event) => {
        wasOpen.value ||= event.currentTarget.open;
      }}
    >
      <summary>
        <span>{length === 0 ? 'Add earlier turns' : 'Earlier turns'}</span>
        <span class="quiet options-values">{length === 0 ? '' : pluralize(length, 'turn')}</span>
      </summary>
      <div class="options-fields">
        <ProblemText id={TURNS} problem={problem} />
        {wasOpen.value && <TurnEditor />}
      </div>
    </details>
  );
}
