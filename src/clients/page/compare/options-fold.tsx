import { EFFORTS } from './efforts';
import { ChoiceField, NumberField, TextField } from './field';
import { optionsText } from './form-content';
import { fieldProblems, formContent } from './form-state';
import { DEFAULT_MAX_TOKENS, DEFAULT_TEMPERATURE } from './limits';

const FIELDS = ['temperature', 'maxTokens', 'maxCostUsd', 'system', 'effort', 'room', 'format', 'exact'] as const;

/**
 * System message, form of the answers, effort, limits of tokens, temperature and, if a compare has one, ceiling;
 * folded, with the values in the fold.
 */
export function OptionsFold({ hasCeiling = true }: { hasCeiling?: boolean }) {
  const hasProblem = FIELDS.some((field) => fieldProblems.value[field] !== undefined);
  return (
    <details class="options">
      <summary>
        <span>Options</span>
        <span class="quiet options-values">{optionsText(formContent.value, hasCeiling)}</span>
        {hasProblem && (
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
