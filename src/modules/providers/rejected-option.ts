/** Our options by the names that vendors have for them. */
const OPTIONS: readonly (readonly [string, RegExp])[] = [
  ['response_format', /^(?:response_format|output_config\.format|output_format)\b/i],
  ['reasoning_tokens', /\bbudget_tokens\b/i],
  ['reasoning_effort', /^(?:reasoning_effort|reasoning|output_config|thinking)(?![a-z_])/i],
  ['max_tokens', /^max_(?:completion_|output_)?tokens\b/i],
  ['temperature', /^temperature\b/i],
  ['system', /^system\b/i],
];

/** Words with which vendors refuse a member; a sentence without one of them may name it for another reason. */
const REFUSAL =
  /unsupported|unknown|unrecognized|unexpected|invalid|extra inputs|not (?:supported|permitted|allowed)|does not (?:support|accept)|must be|deprecated/i;

/**
 * Possible names of a member in a sentence: a path or a word with an underscore, a word in quotes, a word before a
 * colon, and words that name nothing else.
 */
const NAMES = /[a-z]+(?:[._][a-z]+)+|(?<=['"`])[a-z]+(?=['"`])|\b[a-z]+(?=:)|\btemperature\b/gi;

/** Vendors' sentences are shorter; the rest of a longer text may be an echo of the request. */
const MAX_READ_CHARACTERS = 500;

/** The option of a compare that a vendor's error refuses by name; undefined if it names none. */
export function rejectedOption({
  param,
  message = '',
}: {
  param?: string | undefined;
  message?: string | undefined;
}): string | undefined {
  const named = param === undefined ? undefined : optionOf(param);
  if (named !== undefined || !REFUSAL.test(message)) return named;
  return message
    .slice(0, MAX_READ_CHARACTERS)
    .match(NAMES)
    ?.map(optionOf)
    .find((option) => option !== undefined);
}

function optionOf(name: string): string | undefined {
  return OPTIONS.find(([, pattern]) => pattern.test(name))?.[0];
}
