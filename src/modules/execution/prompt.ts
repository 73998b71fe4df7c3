import { charactersIn } from '../../common/postgres-text';
import type { Turn } from '../../common/turn';
import type { ResultWarning } from '../evals/result.entity';

const PLACEHOLDER = '{input}';
const BLANK_LINE = '\n\n';

/** The texts to send to the models, and warnings about how they were built. */
export interface FilledPrompt {
  text: string;
  /** Turns before the prompt. */
  history?: readonly Turn[] | undefined;
  warnings: ResultWarning[];
}

/**
 * Replaces every literal `{input}` by the input in one pass, in the prompt and in turns; without a placeholder in any of
 * them, appends the input to the prompt after a blank line.
 */
export function fillPrompt(prompt: string, input: string | undefined, history?: readonly Turn[]): FilledPrompt {
  const isInTurns = history !== undefined && hasInput(history);
  const hasPlaceholder = isInTurns || prompt.includes(PLACEHOLDER);
  if (input === undefined) {
    const warning: ResultWarning = {
      code: 'input_missing',
      message: `The ${isInTurns ? 'history' : 'prompt'} contains ${PLACEHOLDER} but no input was given; it was sent unchanged.`,
    };
    return { text: prompt, history, warnings: hasPlaceholder ? [warning] : [] };
  }
  // split and join, because `replace` interprets patterns such as `$&` in the replacement.
  const filled = (text: string) => text.split(PLACEHOLDER).join(input);
  return {
    text: hasPlaceholder ? filled(prompt) : withInput(prompt, input),
    history: isInTurns ? history.map((turn) => ({ ...turn, content: filled(turn.content) })) : history,
    warnings: [],
  };
}

/** The prompt with an input, or with its placeholder, after a blank line. */
export function withInput(prompt: string, input = PLACEHOLDER): string {
  return `${prompt}${BLANK_LINE}${input}`;
}

/** True if a turn has a placeholder. */
export function hasInput(history: readonly Turn[]): boolean {
  return history.some(({ content }) => content.includes(PLACEHOLDER));
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
