import type { ResultWarning } from '../evals/result.entity';

const TOKEN = '{input}';

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
  return { text: hasToken ? prompt.split(TOKEN).join(input) : `${prompt}\n\n${input}`, warnings: [] };
}
