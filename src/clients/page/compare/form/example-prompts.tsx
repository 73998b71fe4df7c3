import type { ExamplePrompt } from '../../../../common/example-prompts';
import { loadExamplePrompts } from '../../chunks';
import { announce } from '../../parts/notices';
import { navigate } from '../../router';
import { parseCheckDrafts } from './check-drafts';
import { changeForm, showForm } from './form-state';

type Name = ExamplePrompt['name'];

const NAMES: readonly Name[] = ['Extract JSON', 'Classify', 'Translate', 'Write code', 'Summarize'];

/** Prompts to begin with, by use, each with the checks of a good answer. */
export function ExamplePrompts() {
  return (
    <p class="examples">
      <span class="quiet">Try:</span>
      {NAMES.map((name) => (
        <button
          key={name}
          type="button"
          class="chip"
          title={`${name}, with checks`}
          onClick={() => void tryExample(name)}
        >
          {name}
        </button>
      ))}
    </p>
  );
}

/** Leads from a screen that has nothing to show yet to the form, filled in. */
export function TryExample({ name }: { name: Name }) {
  return (
    <button
      type="button"
      class="button-primary"
      onClick={() => {
        void tryExample(name);
        navigate('/');
      }}
    >
      Try “{name}”
    </button>
  );
}

/** The texts come with the first use. */
async function tryExample(name: Name): Promise<void> {
  const { EXAMPLE_PROMPTS } = await loadExamplePrompts().catch(() => ({ EXAMPLE_PROMPTS: [] }));
  const example = EXAMPLE_PROMPTS.find((each) => each.name === name);
  if (example === undefined) return announce('The example could not be loaded.');
  const { prompt, input, checks } = example;
  changeForm({ prompt, input, checks: parseCheckDrafts(checks) });
  showForm();
}
