/** A line shows one line of text, and texts may be very long. */
const MAX_PROMPT_CHARACTERS = 300;
const TIME_OF_ID = /^[a-z]+_([0-7][0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{16}$/;
const ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The beginning of a prompt, on one line. */
export function promptLine(prompt: string): string {
  const line = prompt
    .slice(0, MAX_PROMPT_CHARACTERS + 1)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim();
  return prompt.length > MAX_PROMPT_CHARACTERS ? `${line.slice(0, MAX_PROMPT_CHARACTERS).toWellFormed()}…` : line;
}

/** The time that an id begins with, as a timestamp; undefined for ids of another form. */
export function timeOfId(id: string): string | undefined {
  const digits = TIME_OF_ID.exec(id)?.[1];
  if (digits === undefined) return undefined;
  return new Date([...digits].reduce((sum, digit) => sum * 32 + ID_DIGITS.indexOf(digit), 0)).toISOString();
}
