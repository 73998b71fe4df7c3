import type { Turn } from './turn';

export const PLACEHOLDER = '{input}';
export const BLANK_LINE = '\n\n';

/** A prompt with the turns before it. */
export interface PromptTexts {
  text: string;
  history?: readonly Turn[] | undefined;
}

/**
 * Replaces every literal `{input}` by the input in one pass, in the prompt and in turns; without a placeholder in any of
 * them, appends the input to the prompt after a blank line.
 */
export function fillTexts(prompt: string, input: string, history?: readonly Turn[]): PromptTexts {
  // split and join, because `replace` interprets patterns such as `$&` in the replacement.
  const filled = (text: string) => text.split(PLACEHOLDER).join(input);
  if (history === undefined || !hasInput(history))
    return { text: prompt.includes(PLACEHOLDER) ? filled(prompt) : withInput(prompt, input), history };
  return { text: filled(prompt), history: history.map((turn) => ({ ...turn, content: filled(turn.content) })) };
}

/** The prompt with an input, or with its placeholder, after a blank line. */
export function withInput(prompt: string, input = PLACEHOLDER): string {
  return `${prompt}${BLANK_LINE}${input}`;
}

/** True if a turn has a placeholder. */
export function hasInput(history: readonly Turn[]): boolean {
  return history.some(({ content }) => content.includes(PLACEHOLDER));
}
