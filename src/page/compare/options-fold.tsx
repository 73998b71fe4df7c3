import { EFFORTS } from './efforts';
import { ChoiceField, NumberField, TextField } from './field';
import { optionsText } from './form-content';
import { fieldProblems, formContent } from './form-state';
import { DEFAULT_MAX_TOKENS, DEFAULT_TEMPERATURE } from './limits';

/** System message, effort, limits of tokens, temperature and ceiling; folded, with the values in the fold. */
export function OptionsFold() {
  const { temperature, maxTokens, maxCostUsd, system, effort, room } = fieldProblems.value;
  const hasProblem = [temperature, maxTokens, maxCostUsd, system, effort, room].some((problem) => problem !== undefined);
  return (
    <details class="options">
      <summary><span>Options</span><span class="quiet options-values">{optionsText(formContent.value)}</span>{hasProblem && <span class="problem" aria-hidden="true">▲</span>}</summary>
      <div class="options-fields">
        <TextField field="system" label="System message" rows={2} placeholder="Every model receives this first" />
        <ChoiceField field="effort" label="Effort" choices={EFFORTS} empty="vendor’s default" hint="how much models think" />
        <NumberField field="room" label="Room for thought" placeholder="by model" hint="tokens beyond max tokens" />
        <NumberField field="temperature" label="Temperature" placeholder={DEFAULT_TEMPERATURE} hint="0 to 2" />
        <NumberField field="maxTokens" label="Max tokens" placeholder={DEFAULT_MAX_TOKENS} hint="for each answer" />
        <NumberField field="maxCostUsd" label="Cost limit, $" placeholder="none" hint="A run that could cost more is rejected" />
      </div>
    </details>
  );
}
