import { BLANK_LINE, fillTexts, hasInput, PLACEHOLDER, type PromptTexts } from '../../common/fill-texts';
import { charactersIn } from '../../common/postgres-text';
import type { Turn } from '../../common/turn';
import type { ResultWarning } from '../evals/result.entity';

/** The texts to send to the models, and warnings about how they were built. */
export interface FilledPrompt extends PromptTexts {
  warnings: ResultWarning[];
}

/** The texts with the input; without an input they are unchanged, with a warning if they have its placeholder. */
export function fillPrompt(prompt: string, input: string | undefined, history?: readonly Turn[]): FilledPrompt {
  if (input !== undefined) return { ...fillTexts(prompt, input, history), warnings: [] };
  const isInTurns = history !== undefined && hasInput(history);
  const warning: ResultWarning = {
    code: 'input_missing',
    message: `The ${isInTurns ? 'history' : 'prompt'} contains ${PLACEHOLDER} but no input was given; it was sent unchanged.`,
  };
  return { text: prompt, history, warnings: isInTurns || prompt.includes(PLACEHOLDER) ? [warning] : [] };
}

/**
 * The length of a filled text in characters (code points), computed without building it, and how many placeholders it
 * has; with 0 the input is appended, unless it is elsewhere.
 */
export function filledLength(
  prompt: string,
  input: string | undefined,
  isElsewhere = false,
): { characters: number; occurrences: number } {
  const own = charactersIn(prompt);
  if (input === undefined) return { characters: own, occurrences: 0 };
  const occurrences = prompt.split(PLACEHOLDER).length - 1;
  return {
    characters:
      occurrences === 0 && !isElsewhere
        ? own + BLANK_LINE.length + charactersIn(input)
        : own + occurrences * (charactersIn(input) - PLACEHOLDER.length),
    occurrences,
  };
}
