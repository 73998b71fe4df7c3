import { charactersIn } from '../../common/postgres-text';
import type { ResultWarning } from '../evals/result.entity';

const PLACEHOLDER = '{input}';
const BLANK_LINE = '\n\n';

/** The text to send to the models, and warnings about how it was built. */
export interface FilledPrompt {
  text: string;
  warnings: ResultWarning[];
}

/**
 * Replaces every literal `{input}` by the input in one pass; without a placeholder, appends the input after a blank
 * line.
 */
export function fillPrompt(prompt: string, input: string | undefined): FilledPrompt {
  const hasPlaceholder = prompt.includes(PLACEHOLDER);
  if (input === undefined) {
    const warning: ResultWarning = {
      code: 'input_missing',
      message: `The prompt contains ${PLACEHOLDER} but no input was given; it was sent unchanged.`,
    };
    return { text: prompt, warnings: hasPlaceholder ? [warning] : [] };
  }
  // split and join, because `replace` interprets patterns such as `$&` in the replacement.
  return {
    text: hasPlaceholder ? prompt.split(PLACEHOLDER).join(input) : `${prompt}${BLANK_LINE}${input}`,
    warnings: [],
  };
}

/**
 * The length of the filled prompt in characters (code points), computed without building it, and how many placeholders
 * it has; with 0 the input is appended.
 */
export function filledLength(prompt: string, input: string | undefined): { characters: number; occurrences: number } {
  const own = charactersIn(prompt);
  if (input === undefined) return { characters: own, occurrences: 0 };
  const occurrences = prompt.split(PLACEHOLDER).length - 1;
  return {
    characters:
      occurrences === 0
        ? own + BLANK_LINE.length + charactersIn(input)
        : own + occurrences * (charactersIn(input) - PLACEHOLDER.length),
    occurrences,
  };
}
