import { changeForm } from './form-state';
import { hasSimulator } from './models-list';

const EXAMPLES = [
  { name: 'Say it in French', prompt: 'Say {input} in French.', input: 'good morning', simulated: false },
  { name: 'Four models, one fails', prompt: '[[sim:pace=40]] [[sim-titan:fail]] [[sim-sage:slow=2000]] Tell me why the sky is blue.', input: '', simulated: true },
] as const;

/** Prompts to begin with; one of them shows what the simulator can do. */
export function ExamplePrompts() {
  const examples = EXAMPLES.filter(({ simulated }) => !simulated || hasSimulator.value);
  return (
    <p class="examples">
      <span class="quiet">Try:</span>
      {examples.map(({ name, prompt, input }) => <button key={name} type="button" class="chip" onClick={() => changeForm({ prompt, input })}>{name}</button>)}
    </p>
  );
}
