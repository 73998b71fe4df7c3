import type { ExperimentCheck } from '../types';
import { parsedJson, type Files } from './files';
import { fail, listOf, membersOf, textOf, type Members, type Notes } from './notes';
import { literalPattern, re2Of, refuseBacktracking } from './patterns';
import { JUDGED, listSelectBest, rubricOf } from './rubrics';
import { convertTemplates, hasTemplate, variablesIn } from './templates';
import { areKnown, BLIND, transformed, type LooseCheck } from './transforms';

/** The parts that assertions are converted with: `names` are the variables of the rows. */
export interface AssertionContext {
  files: Files;
  notes: Notes;
  names: ReadonlySet<string>;
  /** Code that changes the answers before an assertion looks at them. */
  transforms: readonly unknown[];
  /** True if nothing but a threshold over all assertions decides. */
  isLost: boolean;
  /** The grader of the test, and the judge in place of every grader of the file. */
  grader: unknown;
  judge: string | undefined;
}

/** An assertion of promptfoo without `not-`. */
interface Assertion {
  type: string;
  value: unknown;
  threshold: unknown;
  /** The variables of the rows. */
  names: ReadonlySet<string>;
  /** Notes that the check differs from the assertion. */
  differs: (how: string) => void;
  /** The rubric with that criterion. */
  judged: (criterion: string) => LooseCheck;
}

/** Types without a check, and why. */
const OTHERS = [
  [
    /^(?:llm-rubric|model-graded-.*|factuality|g-eval|answer-relevance|context-.*|select-best|max-score|moderation|pi|.*-rubric)$/,
    'needs a model as a judge',
  ],
  [/^(?:javascript|python|ruby|webhook)$/, 'runs code; no code is run here'],
  [
    /^(?:similar(?::\w+)?|rouge-n|bleu|gleu|meteor|perplexity(?:-score)?|classifier|(?:is|contains)-[a-z-]+)$/,
    'has no check',
  ],
] as const;
const KNOWN = ['type', 'value', 'threshold', 'weight', 'transform'];
/** Members of an assertion that say how it is judged. */
const OF_JUDGES = ['provider', 'rubricPrompt'];
const HARMLESS = ['metric', ...OF_JUDGES];
const MAX_VALUES = 20;
const MAX_PATTERN_CHARACTERS = 512;
const MAX_WORDS = 1_000_000;
const MAX_MS = 3_600_000;
/** Keywords of a schema, as JSON, that mean something else here. */
const INEXACT_KEYWORDS = [
  [/"format":"/, 'has a format in its schema, which is not looked at'],
  [/"pattern(?:Properties)?":/, 'has a pattern in its schema, which RE2 reads: \\s is white space of ASCII only'],
] as const;

const CONVERTERS = new Map<string, (given: Assertion) => LooseCheck>(
  Object.entries({
    'llm-rubric': ({ value, judged }) => judged(textOf(value)),
    'model-graded-closedqa': ({ value, judged }) => judged(textOf(value)),
    factuality: ({ value, judged }) => judged(`The answer agrees in its facts with this text: ${textOf(value)}`),
    contains: containsOf,
    icontains: containsOf,
    'contains-all': containsOf,
    'icontains-all': containsOf,
    'contains-any': containsOf,
    'icontains-any': containsOf,
    equals: ({ value }) =>
      typeof value === 'object' && value !== null
        ? { type: 'json', schema: { const: value }, allow_fence: false }
        : { type: 'equals', value: limited(value, 32_000, true), trim: false },
    // A contains check would leave out white space at the start.
    'starts-with': ({ value, names }) => ({
      type: 'regex',
      pattern: limited(
        `^${literalPattern(limited(value, MAX_PATTERN_CHARACTERS, true), names)}`,
        MAX_PATTERN_CHARACTERS,
      ),
    }),
    regex: ({ value, names }) => {
      const pattern = limited(value, MAX_PATTERN_CHARACTERS);
      if (hasTemplate(pattern)) fail('has a variable in a pattern, where its text would be escaped');
      return { type: 'regex', pattern: limited(re2Of(convertTemplates(pattern, names)), MAX_PATTERN_CHARACTERS) };
    },
    'is-json': ({ value, differs }) => ({ type: 'json', ...schemaOf(value, differs), allow_fence: false }),
    'contains-json': ({ value, differs }) => {
      differs(
        'looks at the first JSON only, which may be an array or be in a code fence; promptfoo looks at every object, and also takes YAML in braces',
      );
      return { type: 'json', ...schemaOf(value, differs), find: true };
    },
    cost: ({ threshold }) => ({
      type: 'cost',
      max_usd:
        Number(numberOf(threshold).toFixed(12)) === Number(threshold)
          ? numberOf(threshold)
          : fail('has more than 12 decimals'),
    }),
    latency: ({ threshold }) => ({ type: 'latency', max_ms: Math.floor(numberOf(threshold, MAX_MS)) }),
    'word-count': ({ value, differs }) => {
      const { min, max } = typeof value === 'object' ? membersOf(value) : { min: value, max: value };
      const [least, most] = [min, max].map((bound) => (bound === undefined ? undefined : numberOf(bound, MAX_WORDS)));
      if (
        (least ?? most) === undefined ||
        (least ?? 0) > (most ?? MAX_WORDS) ||
        ![least ?? 0, most ?? 0].every(Number.isInteger)
      )
        fail('needs whole numbers as min or max, and no min above max');
      differs('counts the words of scripts without spaces, such as Chinese, by dictionaries');
      return { type: 'length', unit: 'words', min: least, max: most };
    },
    'finish-reason': ({ value, differs }) => {
      if (textOf(value).toLowerCase() !== 'stop') fail('asks for another finish reason than stop');
      differs('also needs a text that is not blank');
      return { type: 'finished' };
    },
    levenshtein: ({ value, threshold = 5, names, differs }) => {
      const [text, distance] = [limited(value, 8000, true), numberOf(threshold)];
      if (text.trim() === '' || hasTemplate(text))
        fail('has a distance to a text that is blank or has a variable; write a similarity');
      convertTemplates(text, names);
      const min = Math.floor(Math.max(0, 1 - distance / text.length) * 1e6) / 1e6;
      differs(`is a similarity of at least ${min} now: a distance of ${distance} in a text of equal length`);
      return { type: 'similarity', value: text, min };
    },
  }),
);

/** True for the type of an assertion of promptfoo, without `not-`. */
export function isAssertionType(type: string): boolean {
  return CONVERTERS.has(type) || OTHERS.some(([pattern]) => pattern.test(type));
}

/** The checks of a list of assertions; the others are listed. */
export function convertAssertions(given: unknown, place: string, context: AssertionContext): ExperimentCheck[] {
  return listOf(given).flatMap((one, index) =>
    context.notes
      .attempt(`${place}[${index}]`, () => convertAssertion(membersOf(one), `${place}[${index}]`, context))
      .flat(),
  );
}

function convertAssertion(given: Members, place: string, context: AssertionContext): ExperimentCheck[] {
  const { files, notes, names, transforms, isLost, judge: chosen } = context;
  const [, not, type = ''] = /^(not-)?([^]*)$/.exec(textOf(given['type'])) ?? [];
  if (type === 'select-best' && not === undefined)
    return listSelectBest(convertTemplates(textOf(valueOf(given['value'], files)), names), { place, notes, chosen });
  const check = looseOf(type, given, place, context);
  // A transform or threshold of the test is listed itself.
  if (isLost || (!areKnown(transforms) && !BLIND.includes(check.type))) return [];
  const negated = not === undefined ? check : { ...check, not: true };
  const final = transformed(negated, [...transforms, ...listOf(given['transform'])], given['value']);
  return [weighted(final, given['weight'] ?? 1, place, notes)];
}

/** A rubric takes neither `not` nor `weight`. @throws Unconverted */
function weighted(check: LooseCheck, weight: unknown, place: string, notes: Notes): ExperimentCheck {
  if (check.type === 'rubric' && check['not'] === true)
    fail('is the opposite of a rubric, which has no check; write the criterion the other way round');
  if (weight === 1) return check as ExperimentCheck;
  if (check.type !== 'rubric') return { ...check, weight: numberOf(weight) } as ExperimentCheck;
  notes.remarks.push({ place: `${place}.weight`, problem: 'is left out; a rubric has none' });
  return check as ExperimentCheck;
}

/** @throws Unconverted */
function looseOf(type: string, given: Members, place: string, context: AssertionContext): LooseCheck {
  const { files, notes, names, grader, judge: chosen } = context;
  const convert = converterOf(type);
  const { threshold, provider: judge = grader } = given;
  refuseOthers(given);
  notes.listOthers(place, given, JUDGED.includes(type) ? [...KNOWN, ...OF_JUDGES] : KNOWN, HARMLESS);
  const value = valueOf(given['value'], files);
  return convert({
    type,
    value: ['regex', 'levenshtein'].includes(type) ? value : convertTemplates(value, names),
    threshold,
    names,
    differs: (problem) => notes.remarks.push({ place, problem }),
    judged: (criterion) => rubricOf(type, criterion, { judge, threshold }, { place, notes, chosen }),
  });
}

/** @throws Unconverted */
function converterOf(type: string): (given: Assertion) => LooseCheck {
  const [, why = 'has no check'] = OTHERS.find(([pattern]) => pattern.test(type)) ?? [];
  return CONVERTERS.get(type) ?? fail(`(${type}) ${why}`);
}

/** @throws Unconverted for a member without which the check would decide something else */
function refuseOthers({ weight, ...given }: Record<string, unknown>): void {
  const unknown = Object.keys(given).find((name) => ![...KNOWN, ...HARMLESS].includes(name));
  if (unknown !== undefined) fail(`has ${unknown}, which has no counterpart; the check is left out with it`);
  if (Number(weight) === 0) fail('has a weight of 0');
}

function valueOf(written: unknown, files: Files): unknown {
  const load = (one: unknown) => {
    const content = typeof one === 'string' && one.startsWith('file://') ? files.load(one) : one;
    // promptfoo leaves out white space around the text of a file.
    return typeof content === 'string' && content !== one ? content.trim() : content;
  };
  const value = Array.isArray(written) ? written.map(load) : load(written);
  const unfilled = listOf(value).filter((one, index) => typeof one === 'object' || one !== listOf(written)[index]);
  return hasTemplate(JSON.stringify(unfilled))
    ? fail('has a variable in an object or a file, where promptfoo fills in none')
    : value;
}

function containsOf({ type, value, names }: Assertion): LooseCheck {
  const isList = /-(?:all|any)$/.test(type);
  const values = (isList && typeof value === 'string' ? splitList(value, names) : isList ? listOf(value) : [value]).map(
    (each) => limited(each, 1000),
  );
  if (values.length === 0 || values.length > MAX_VALUES)
    fail(`has ${values.length} texts; a check has 1 to ${MAX_VALUES}`);
  return {
    type: 'contains',
    values,
    ...(type.endsWith('-any') && { mode: 'any' }),
    ...(type.startsWith('i') && { ignore_case: true }),
  };
}

function splitList(text: string, names: ReadonlySet<string>): string[] {
  if (variablesIn(text, names).length > 0 || text.includes('"'))
    fail('has a variable or a quotation mark in a text that is split at its commas; write a list');
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function schemaOf(value: unknown, differs: Assertion['differs']): object {
  if (value === undefined || value === null || value === '') return {};
  const schema = typeof value === 'string' ? parsedJson(value) : value;
  if (typeof schema !== 'object' || schema === null) fail('has a schema that is no JSON object');
  const text = JSON.stringify(schema);
  refuseBacktracking(text);
  if (/"items":\[/.test(text)) fail('has a list as items of its schema, which draft 2020-12 has as prefixItems');
  for (const [keyword, how] of INEXACT_KEYWORDS) if (keyword.test(text)) differs(how);
  // The service reads drafts from 7 on as 2020-12.
  return { schema: Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema')) };
}

/** @throws Unconverted */
function limited(value: unknown, most: number, canBeBlank = false): string {
  const text = textOf(value);
  if (!canBeBlank && /^\s+$/.test(text)) fail('has a blank text, which its check does not take');
  return text === '' || text.length > most
    ? fail(`has a text of ${text.length} characters; its check takes 1 to ${most.toLocaleString('en-US')}`)
    : text;
}

function numberOf(value: unknown, most = Number.MAX_VALUE): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= most
    ? number
    : fail(
        `needs a number that is not negative${most < Number.MAX_VALUE ? `, and at most ${most.toLocaleString('en-US')}` : ''}`,
      );
}
