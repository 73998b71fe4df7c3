import { CopyButton } from '../../parts/copy-button';
import { Banner } from '../../parts/notices';
import { prefs, setPrefs } from '../../prefs';
import { keyInUse } from '../../session';
import { EstimateLine } from './estimate-line';
import { ExamplePrompts } from './example-prompts';
import { TextField } from './field';
import { EvaluationFold, OptionsFold, TurnsFold } from './form-folds';
import { formContent, linkProblems } from './form-state';
import { writeFragment } from './fragment';
import { ModelPicker } from './model-picker';

interface CompareFormProps {
  isWatching: boolean;
  /** Seconds until the service takes another run; 0 when it does. */
  waitSeconds: number;
  onRun: () => void;
  onStop: () => void;
}

/** Prompt, input, models, options, the price, and Run. */
export function CompareForm({ isWatching, waitSeconds, onRun, onStop }: CompareFormProps) {
  const { prompt } = formContent.value;
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    onRun();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) onSubmit(event);
  };
  return (
    <form class="compare-form" aria-label="Compare" noValidate onSubmit={onSubmit} onKeyDown={onKeyDown}>
      {linkProblems.value.length > 0 && (
        <Banner kind="warning">
          {linkProblems.value.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Banner>
      )}
      <TextField field="prompt" label="Prompt" rows={3} placeholder="Every model receives this prompt" />
      {prompt === '' && <ExamplePrompts />}
      <TextField
        field="input"
        label="Input"
        rows={2}
        hint={prompt.includes('{input}') || prompt === '' ? 'replaces {input}' : 'is added below the prompt'}
      />
      <TurnsFold />
      <ModelPicker />
      <EvaluationFold />
      <OptionsFold />
      <label class="check">
        <input
          type="checkbox"
          checked={prefs.value.blind}
          onChange={(event) => setPrefs({ blind: event.currentTarget.checked })}
        />
        Hide names until I choose
      </label>
      <RunArea isWatching={isWatching} waitSeconds={waitSeconds} onStop={onStop} />
    </form>
  );
}

/** The price, and one button that runs and stops, so that the focus stays on it. */
function RunArea({ isWatching, waitSeconds, onStop }: Pick<CompareFormProps, 'isWatching' | 'waitSeconds' | 'onStop'>) {
  const mayRun = keyInUse.value?.scopes.includes('compare') === true;
  // Without this the button, which has become Run by then, would run again.
  const stop = (event: Event): void => {
    event.preventDefault();
    onStop();
  };
  const text = isWatching ? 'Stop watching' : waitSeconds > 0 ? `Run again in ${waitSeconds} s` : 'Run';
  return (
    <div class="run-area">
      <EstimateLine />
      <button
        type={isWatching ? 'button' : 'submit'}
        class="button-primary"
        disabled={!isWatching && (waitSeconds > 0 || !mayRun)}
        onClick={isWatching ? stop : undefined}
      >
        {text} <kbd aria-hidden="true">{isWatching ? 'Esc' : 'Ctrl ↵'}</kbd>
      </button>
      {!mayRun && (
        <p class="problem">
          This key lacks the scope <code>compare</code>. Ask the operator for a key that has it.
        </p>
      )}
      <CopyButton
        text={() => `${location.origin}/${writeFragment(formContent.value)}`}
        what="Address"
        class="form-link"
        title="Copy a link that fills in this form without running it"
      >
        Share this form
      </CopyButton>
    </div>
  );
}
