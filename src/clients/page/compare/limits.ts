/** The default limits of one compare; the operator may have changed them, and the service decides. */
export const MAX_MODELS = 8;
export const MAX_PROMPT_CHARACTERS = 32_000;
export const MAX_INPUT_CHARACTERS = 128_000;

/** The service's defaults of empty options. */
export const DEFAULT_TEMPERATURE = '0.7';
export const DEFAULT_MAX_TOKENS = '500';

/** A count with commas, such as 32,000; the same in every language of the browser, since the page is in English. */
export function groupDigits(count: number): string {
  return count.toLocaleString('en-US');
}

/** A count with its noun, such as "1 row" or "1,300 rows". */
export function pluralize(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? '' : 's'}`;
}
