import { Money } from '../common/money';
import { charactersIn } from '../common/postgres-text';
import { composed } from '../statistics/normalized';
import { segmented, UNSPACED } from '../statistics/words';
import { lastNumberIn, numbersIn, type WrittenNumber } from '../statistics/written-numbers';
import type { Check, CheckOf } from './check';
import { isWithin } from './read-number';
import type { Finding } from './verdict';

/** The input of a check: the text, and the measurements; absent if there are none. */
export interface CheckedAnswer {
  text: string;
  finishReason?: string | null;
  latencyMs?: number;
  /** Null when there was no text. */
  firstTokenMs?: number | null;
  cost?: Money;
  /** Tokens of the text, without those of reasoning. */
  tokens?: number;
}

type InlineType = Exclude<Check['type'], 'regex' | 'similarity'>;

/** More steps of a search than this, characters of the text times those of a value, are made in the thread. */
const MAX_SEARCH_STEPS = 200_000;
/** In longer texts without spaces, words are looked for in the thread. */
const MAX_SEGMENTED_CHARACTERS = 8192;
const MAX_QUOTED_CHARACTERS = 60;
const FENCE = '```';

/** True if a check is decided inline; every other check runs in the thread, with a time limit. */
export function isInline(check: Check, text: string): check is CheckOf<InlineType> {
  switch (check.type) {
    case 'regex':
    case 'similarity': return false;
    case 'json': return check.schema === undefined && check.find !== true;
    case 'length': return check.unit !== 'words' || text.length <= MAX_SEGMENTED_CHARACTERS || !UNSPACED.test(text);
    case 'contains': return text.length * check.values.reduce((sum, value) => sum + value.length, 0) <= MAX_SEARCH_STEPS;
    default: return true;
  }
}

/** The characters that an inline check reads; numbers and words take four times as long to find as a text. */
export function charactersRead(check: Check, { length }: string): number {
  switch (check.type) {
    case 'latency':
    case 'cost':
    case 'finished': return 0;
    case 'number': return 4 * length;
    case 'length': return { tokens: 0, characters: 1, words: 4 }[check.unit] * length;
    default: return length;
  }
}

/** The finding of an inline check in an answer. */
export function decideInline(check: CheckOf<InlineType>, answer: CheckedAnswer): Finding {
  switch (check.type) {
    case 'equals': return equals(check, answer.text);
    case 'contains': return contains(check, answer.text);
    case 'json': return json(check, answer.text);
    case 'number': return number(check, answer.text);
    case 'length': return length(check, answer);
    case 'latency': return latency(check, answer);
    case 'cost': return cost(check, answer);
    case 'finished': return finished(answer);
  }
}

/** A text as a reason quotes it: short and in quotation marks. */
export function quoted(text: string): string {
  // Cut by units, where a pair may be cut in two; Postgres stores no half of one.
  return JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…` : text);
}

/** The JSON text in an answer: without the one code fence around it where that is allowed. */
export function jsonTextIn(text: string, allowFence: boolean): string {
  const trimmed = text.trim();
  if (!allowFence || trimmed.length < 2 * FENCE.length || !trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE)) return trimmed;
  const firstLine = trimmed.indexOf('\n');
  return firstLine < 0 ? trimmed : trimmed.slice(firstLine + 1, -FENCE.length);
}

const FENCED = /```[^\n`]*\n([^]*?)```/g;
const OPENING = /[{[](?=\s*["{[\]}\-\dtfn])/g;

/** The first JSON in an answer with prose around it: the content of a code fence, or else an object or an array. Undefined where there is none. */
export function jsonTextWithin(text: string): string | undefined {
  if (isJson(text)) return text;
  for (const [, fenced = ''] of text.matchAll(FENCED)) if (isJson(fenced)) return fenced;
  for (const { index } of text.matchAll(OPENING)) {
    const found = text.slice(index, endOfBrackets(text, index));
    if (isJson(found)) return found;
  }
  return undefined;
}

/** Where the bracket at a position is closed, brackets in texts left out; the position itself where it is not. */
function endOfBrackets(text: string, start: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if ('{['.includes(token[0])) depth += 1;
    else if ('}]'.includes(token[0])) depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return start;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The finding of a search for texts. */
export function contains({ values, mode, ignore_case: ignoresCase }: CheckOf<'contains'>, text: string): Finding {
  const form = (given: string) => (ignoresCase ? composed(given).toLowerCase() : composed(given));
  const searched = form(text);
  const isIn = (value: string) => searched.includes(form(value));
  return mode === 'all' ? containsAll(values, isIn) : containsAny(values, isIn);
}

function containsAll(values: readonly string[], isIn: (value: string) => boolean): Finding {
  const missing = values.find((value) => !isIn(value));
  if (missing !== undefined) return { isMet: false, observed: `It does not contain ${quoted(missing)}.` };
  return { isMet: true, observed: `It contains ${values.length === 1 ? quoted(values.join()) : `all ${values.length} texts`}.` };
}

function containsAny(values: readonly string[], isIn: (value: string) => boolean): Finding {
  const found = values.find(isIn);
  if (found !== undefined) return { isMet: true, observed: `It contains ${quoted(found)}.` };
  return { isMet: false, observed: `It does not contain ${values.length === 1 ? quoted(values.join()) : `any of the ${values.length} texts`}.` };
}

function equals({ value, ignore_case: ignoresCase, trim }: CheckOf<'equals'>, text: string): Finding {
  const form = (given: string) => {
    const trimmed = composed(trim ? given.trim() : given);
    return ignoresCase ? trimmed.toLowerCase() : trimmed;
  };
  const isMet = form(text) === form(value);
  return { isMet, observed: isMet ? 'It is equal.' : `It is ${quoted(text)}.` };
}

function json({ allow_fence: allowsFence }: CheckOf<'json'>, text: string): Finding {
  return isJson(jsonTextIn(text, allowsFence)) ? { isMet: true, observed: 'It is JSON.' } : { isMet: false, observed: 'It is not JSON.' };
}

function number({ value, tolerance, which }: CheckOf<'number'>, text: string): Finding {
  const numbers: Iterable<WrittenNumber | undefined> = which === 'last' ? [lastNumberIn(text)] : numbersIn(text);
  const [first, second] = numbers;
  if (first === undefined) return { isMet: false, observed: 'It holds no number.' };
  if (which === 'only' && second !== undefined) return { isMet: false, observed: `It holds several numbers, the first two are ${first.written} and ${second.written}.` };
  return { isMet: isWithin(first.value, value, tolerance), observed: `Its ${which === 'only' ? '' : `${which} `}number is ${first.written}.` };
}

function length({ min = 0, max = Infinity, unit }: CheckOf<'length'>, { text, tokens }: CheckedAnswer): Finding {
  if (unit === 'tokens' && tokens === undefined) return { undecided: 'The tokens of this text were not counted.' };
  const count = unit === 'tokens' ? tokens ?? 0 : unit === 'characters' ? charactersIn(text) : wordsIn(text);
  return { isMet: count >= min && count <= max, observed: `It is ${count} ${count === 1 ? unit.slice(0, -1) : unit} long.` };
}

function latency({ max_ms: maxMs, of }: CheckOf<'latency'>, { latencyMs, firstTokenMs }: CheckedAnswer): Finding {
  const ms = of === 'total' ? latencyMs : firstTokenMs;
  if (ms === null) return { undecided: 'There was no first token.' };
  if (ms === undefined) return { undecided: 'The latency of this text was not measured.' };
  return { isMet: ms <= maxMs, observed: of === 'total' ? `It took ${ms} ms.` : `Its first token took ${ms} ms.` };
}

function cost({ max_usd: maxUsd }: CheckOf<'cost'>, { cost: spent }: CheckedAnswer): Finding {
  if (spent === undefined) return { undecided: 'The cost of this text is not known.' };
  return { isMet: spent.compare(Money.of(maxUsd)) <= 0, observed: `It cost ${spent.toString()} USD.` };
}

function finished({ text, finishReason }: CheckedAnswer): Finding {
  if (!/\S/.test(text)) return { isMet: false, observed: 'It is blank.' };
  if (finishReason === undefined) return { undecided: 'It is not known why this text ended.' };
  const isMet = finishReason === 'stop';
  return { isMet, observed: isMet ? 'It is finished.' : finishReason === 'length' ? 'It was cut at the maximum of tokens.' : 'It ended before it was finished.' };
}

function wordsIn(text: string): number {
  return segmented(text.match(/\S+/g) ?? []).length;
}
