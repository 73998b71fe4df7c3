import type { Check } from '../types';
import { parsedJson, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';
import { convertTemplates, hasTemplate } from './templates';

/** The parts that assertions are converted with: `names` are the variables of the rows. */
export interface AssertionContext {
  files: Files;
  notes: Notes;
  names: ReadonlySet<string>;
}

/** An assertion of promptfoo without `not-`. */
interface Assertion {
  type: string;
  value: unknown;
  threshold: unknown;
  /** Notes that the check differs from the assertion. */
  differs: (how: string) => void;
}

const NEEDS_JUDGE = /^(?:llm-rubric|model-graded-.*|factuality|g-eval|answer-relevance|context-.*|select-best|max-score|moderation|pi|.*-rubric)$/;
const RUNS_CODE = /^(?:javascript|python|ruby|webhook)$/;
const CONTAINS = /^i?contains(?:-all|-any)?$/;
const OTHERS = /^(?:similar(?::\w+)?|rouge-n|bleu|gleu|meteor|perplexity(?:-score)?|classifier|(?:is|contains)-[a-z-]+)$/;
const NO_RE2 = /\(\?<?[=!]|\\[1-9]|\\k</;
const KNOWN = ['type', 'value', 'threshold', 'weight'];
const MAX_VALUES = 20;

const CONVERTERS: Readonly<Record<string, (given: Assertion) => object>> = {
  equals: ({ value }) => (typeof value === 'object' && value !== null ? { type: 'json', schema: { const: value }, allow_fence: false } : { type: 'equals', value: limited(value, 32_000), trim: false }),
  'starts-with': ({ value }) => ({ type: 'contains', values: [limited(value, 1000)], at: 'start' }),
  regex: ({ value }) => {
    const pattern = limited(value, 512);
    if (hasTemplate(pattern)) fail('has a variable in a pattern, where its text would be escaped');
    return NO_RE2.test(pattern) ? fail('has look-around or a back-reference, which RE2 has not') : { type: 'regex', pattern };
  },
  'is-json': ({ value }) => ({ type: 'json', ...schemaOf(value), allow_fence: false }),
  'contains-json': ({ value }) => ({ type: 'json', ...schemaOf(value), find: true }),
  cost: ({ threshold }) => ({ type: 'cost', max_usd: numberOf(threshold) }),
  latency: ({ threshold }) => ({ type: 'latency', max_ms: Math.floor(numberOf(threshold)) }),
  'word-count': ({ value }) => ({ type: 'length', unit: 'words', ...(typeof value === 'object' ? Object.fromEntries(Object.entries(membersOf(value)).map(([name, bound]) => [name, numberOf(bound)])) : { min: numberOf(value), max: numberOf(value) }) }),
  'finish-reason': ({ value }) => (value === 'stop' ? { type: 'finished' } : fail('asks for another finish reason than stop')),
  levenshtein: ({ value, threshold = 5, differs }) => {
    const [text, distance] = [limited(value, 8000), numberOf(threshold)];
    if (text.trim() === '' || hasTemplate(text)) fail('has a distance to a text that is blank or has a variable; write a similarity');
    const min = Math.floor(Math.max(0, 1 - distance / text.length) * 1e6) / 1e6;
    differs(`is a similarity of at least ${min} now: a distance of ${distance} in a text of equal length`);
    return { type: 'similarity', value: text, min };
  },
};

/** True for the type of an assertion of promptfoo, without `not-`. */
export function isAssertionType(type: string): boolean {
  return Object.hasOwn(CONVERTERS, type) || [CONTAINS, RUNS_CODE, NEEDS_JUDGE, OTHERS].some((pattern) => pattern.test(type));
}

/** The checks of a list of assertions; the others are listed. */
export function convertAssertions(given: unknown, place: string, context: AssertionContext): Check[] {
  return listOf(given).flatMap((one, index) => context.notes.attempt(`${place}[${index}]`, () => convertAssertion(membersOf(one), `${place}[${index}]`, context)));
}

function convertAssertion(given: Record<string, unknown>, place: string, { files, notes, names }: AssertionContext): Check {
  const [, not, type = ''] = /^(not-)?([^]*)$/.exec(textOf(given['type'])) ?? [];
  const convert = converterOf(type);
  const { value: written, threshold, weight = 1 } = given;
  if (numberOf(weight) === 0) fail('has a weight of 0');
  notes.listOthers(place, given, KNOWN, ['metric', 'provider', 'rubricPrompt']);
  const value = typeof written === 'string' && written.startsWith('file://') ? files.load(written) : written;
  const check = convert({ type, value: ['regex', 'levenshtein'].includes(type) ? value : convertTemplates(value, names), threshold, differs: (problem) => notes.remarks.push({ place, problem }) });
  return { ...check, ...(not !== undefined && { not: true }), ...(weight !== 1 && { weight: numberOf(weight) }) } as Check;
}

function converterOf(type: string): (given: Assertion) => object {
  const convert = Object.hasOwn(CONVERTERS, type) ? CONVERTERS[type] : undefined;
  return convert ?? (CONTAINS.test(type) ? containsOf : fail(`(${type}) ${RUNS_CODE.test(type) ? 'runs code; no code is run here' : NEEDS_JUDGE.test(type) ? 'needs a model as a judge' : 'has no check'}`));
}

function containsOf({ type, value }: Assertion): object {
  const isList = /-(?:all|any)$/.test(type);
  const values = (isList && typeof value === 'string' ? value.split(',').map((each) => each.trim()) : isList ? listOf(value) : [value]).map((each) => limited(each, 1000));
  if (values.length === 0 || values.length > MAX_VALUES) fail(`has ${values.length} texts; a check has 1 to ${MAX_VALUES}`);
  return { type: 'contains', values, ...(type.endsWith('-any') && { mode: 'any' }), ...(type.startsWith('i') && { ignore_case: true }) };
}

function schemaOf(value: unknown): object {
  if (value === undefined || value === null || value === '') return {};
  const schema = typeof value === 'string' ? parsedJson(value) : value;
  // The service reads drafts from 7 on as 2020-12.
  return typeof schema === 'object' && schema !== null ? { schema: Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema')) } : fail('has a schema that is no JSON object');
}

/** @throws Unconverted */
function limited(value: unknown, most: number): string {
  const text = textOf(value);
  return text === '' || text.length > most ? fail(`has a text of ${text.length} characters; its check takes 1 to ${most.toLocaleString('en-US')}`) : text;
}

function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number < Infinity ? number : fail('needs a number that is not negative');
}
