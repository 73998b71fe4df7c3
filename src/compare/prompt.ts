import { charactersIn } from '../common/postgres-text';
import type { ResultWarning } from '../evals/result.entity';

const TOKEN = '{input}';
const BLANK_LINE = '\n\n';

/** The text to send, and what the caller should know about how it came to be. */
export interface FilledPrompt {
  text: string;
  warnings: ResultWarning[];
}

/** Puts the input in place of every literal `{input}`, in one pass; without such a token it follows after a blank line. */
export function fillPrompt(prompt: string, input: string | undefined): FilledPrompt {
  const hasToken = prompt.includes(TOKEN);
  if (input === undefined) {
    const warning = { code: 'input_missing', message: `The prompt contains ${TOKEN} but no input was given; it was sent as it is.` };
    return { text: prompt, warnings: hasToken ? [warning] : [] };
  }
  // split and join, because the replacement text of `replace` gives `$&` and its like a meaning.
  return { text: hasToken ? prompt.split(TOKEN).join(input) : `${prompt}${BLANK_LINE}${input}`, warnings: [] };
}

/** Characters (code points) of the prompt once the input is in its place, counted without filling it in; and how often it stands in it, 0 when it follows after a blank line. */
export function filledLength(prompt: string, input: string | undefined): { characters: number; places: number } {
  const own = charactersIn(prompt);
  if (input === undefined) return { characters: own, places: 0 };
  const places = prompt.split(TOKEN).length - 1;
  return { characters: places === 0 ? own + BLANK_LINE.length + charactersIn(input) : own + places * (charactersIn(input) - TOKEN.length), places };
}
