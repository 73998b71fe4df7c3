/** The strings of a plain event that change from one to the next: its text, and the padding that some vendors add to hide the length of the text. */
export interface PlainStrings {
  text: string;
  padding?: string | undefined;
}

/** The text around the strings of a plain event, quotes excluded. */
interface Surroundings {
  before: string;
  /** Between text and padding; undefined where there is no padding. */
  between: string | undefined;
  after: string;
}

// A vendor whose events differ in more than these strings gains nothing, so a stream stops being tried.
const MAX_MISSES = 4;
const QUOTE = 0x22;
const PADDING_LITERAL = /^"[^"\\\p{Cc}]*"$/u;

/**
 * Takes the text out of plain events without parsing each whole (docs/decisions/0005). A plain event adds text to the answer and does nothing else. The part around
 * its text is remembered from an event that was parsed; an event with the same around a JSON string is the same event with another text, whatever the vendor.
 */
export class PlainEvents<Event> {
  private surroundings: Surroundings | undefined;
  private misses = 0;

  /** `stringsOf` returns the strings of a plain event, and undefined for any other. */
  constructor(private readonly stringsOf: (event: Event) => PlainStrings | undefined) {}

  /** The text of an event that is like the one learned last; undefined for any other, which has to be parsed. */
  textOf(data: string): string | undefined {
    const text = this.surroundings && textWithin(data, this.surroundings);
    if (text !== undefined) this.misses = 0;
    return text;
  }

  /** Learns from an event that was parsed because `textOf` did not know it. */
  learn(data: string, event: Event): void {
    if (this.misses === MAX_MISSES) return;
    const strings = this.stringsOf(event);
    if (strings === undefined || strings.text === '') return;
    this.misses += 1;
    const candidate = this.misses < MAX_MISSES ? surroundingsOf(data, strings) : undefined;
    this.surroundings = candidate && this.isProven(candidate, strings) ? candidate : undefined;
  }

  // Other strings may replace the text only if the parsed event changes with them.
  private isProven({ before, between, after }: Surroundings, strings: PlainStrings): boolean {
    const [text, padding] = [`${strings.text}.`, `${strings.padding ?? ''}.`];
    const event = parsed(before + JSON.stringify(text) + (between === undefined ? '' : between + JSON.stringify(padding)) + after);
    const changed = event === undefined ? undefined : this.stringsOf(event as Event);
    return changed?.text === text && changed.padding === (between === undefined ? undefined : padding);
  }
}

function surroundingsOf(data: string, { text, padding }: PlainStrings): Surroundings | undefined {
  const literal = JSON.stringify(text);
  const begin = data.indexOf(literal);
  if (begin < 0) return undefined;
  const end = begin + literal.length;
  if (padding === undefined) return { before: data.slice(0, begin), between: undefined, after: data.slice(end) };
  const paddingLiteral = JSON.stringify(padding);
  const paddingBegin = data.indexOf(paddingLiteral, end);
  if (paddingBegin < 0) return undefined;
  return { before: data.slice(0, begin), between: data.slice(end, paddingBegin), after: data.slice(paddingBegin + paddingLiteral.length) };
}

function textWithin(data: string, { before, between, after }: Surroundings): string | undefined {
  const begin = before.length;
  const end = data.length - after.length;
  // A comparison of slices takes a fraction of what startsWith and endsWith do.
  if (data.slice(0, begin) !== before || data.slice(end) !== after) return undefined;
  if (between === undefined) return stringOf(data.slice(begin, end));
  const textEnd = data.indexOf(between, begin);
  if (textEnd < 0 || !PADDING_LITERAL.test(data.slice(textEnd + between.length, end))) return undefined;
  return stringOf(data.slice(begin, textEnd));
}

// Parsing just the string takes care of escapes and copies it, so that it does not retain the chunk that it came in.
function stringOf(literal: string): string | undefined {
  return literal.charCodeAt(0) === QUOTE ? parsed(literal) as string | undefined : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
