import type { Turn } from '../../../../common/turn';
import type { CompareRequest, ReasoningEffort } from '../../../client/client';
import { factsOf, samplesOf } from '../evaluated';
import { DEFAULT_MAX_TOKENS, pluralize } from '../limits';
import { type CheckBody, type CheckDraft, checkOf, draftOf } from './check-drafts';

/** The typed content of the form. An empty option leaves the decision to the service. */
export interface FormContent {
  prompt: string;
  input: string;
  models: readonly string[];
  temperature: string;
  maxTokens: string;
  /** The ceiling in dollars. */
  maxCostUsd: string;
  system: string;
  /** Earlier turns of a conversation. */
  history: readonly Turn[];
  /** Empty for the vendor's default. */
  effort: string;
  /** Tokens for thought beyond the limit. */
  room: string;
  /** `json`, or a JSON Schema; empty for any text. */
  format: string;
  /** `required` if the answer of another model is a failure. */
  exact: string;
  /** Calls of each model. */
  samples: string;
  checks: readonly CheckDraft[];
}

/** The part of the form that ends with the tab; the chosen models are a preference. */
export type Draft = Omit<FormContent, 'models'>;

/** The fields of the form. */
export type FieldName = keyof FormContent;

/** The problem of a field. */
export interface FieldProblem {
  field: FieldName;
  message: string;
}

export const EMPTY_FORM: FormContent = {
  prompt: '',
  input: '',
  models: [],
  temperature: '',
  maxTokens: '',
  maxCostUsd: '',
  system: '',
  history: [],
  effort: '',
  room: '',
  format: '',
  exact: '',
  samples: '',
  checks: [],
};
/** The fields of the options, by their names in the API. */
const OPTION_FIELDS = {
  temperature: 'temperature',
  max_tokens: 'maxTokens',
  max_cost_usd: 'maxCostUsd',
  samples: 'samples',
  system: 'system',
  history: 'history',
  reasoning_effort: 'effort',
  reasoning_tokens: 'room',
  response_format: 'format',
  exact_model: 'exact',
} as const;

/** A typed decimal, such as an amount. */
export const DECIMAL = /^\d{1,9}(?:\.\d{1,12})?$|^\.\d{1,12}$/;
const WHOLE = /^\d{1,9}$/;
/** Every decimal with up to this number of digits survives as a number; the service refuses more. */
const MAX_SIGNIFICANT_DIGITS = 15;

/**
 * The body for the service, or what keeps the form from being sent. What the service knows better, such as its limits,
 * is left to it.
 */
export function requestOf(content: FormContent): { body: CompareRequest } | { problems: FieldProblem[] } {
  const checks = content.checks.map(checkOf);
  const problems = [...missing(content), ...malformed(content), ...checkProblems(checks)];
  if (problems.length > 0) return { problems };
  const { prompt, input, models } = content;
  const options = {
    ...numberMember('temperature', content.temperature),
    ...numberMember('max_tokens', content.maxTokens),
    ...numberMember('max_cost_usd', content.maxCostUsd),
    ...numberMember('samples', content.samples),
    ...numberMember('reasoning_tokens', content.room),
    ...(content.effort !== '' && { reasoning_effort: content.effort as ReasoningEffort }),
    ...(content.system.trim() !== '' && { system: content.system }),
    ...(content.history.length > 0 && { history: [...content.history] }),
    ...(content.format.trim() !== '' && { response_format: formatOf(content.format) }),
    ...(content.exact !== '' && { exact_model: true }),
  };
  // Which members go with which type, the service knows better too.
  const bodies = checks.flatMap((check) => ('body' in check ? [check.body] : [])) as NonNullable<
    CompareRequest['checks']
  >;
  return {
    body: {
      prompt,
      models: [...models],
      ...(input !== '' && { input }),
      ...(Object.keys(options).length > 0 && { options }),
      ...(bodies.length > 0 && { checks: bodies }),
    },
  };
}

/** The content of the form that makes this request. */
export function contentOf(request: CompareRequest): FormContent {
  const { prompt, input = '', models, options = {} } = request;
  const samples = samplesOf(options);
  return {
    prompt,
    input,
    models,
    temperature: decimalOf(options.temperature),
    maxTokens: decimalOf(options.max_tokens),
    maxCostUsd: decimalOf(options.max_cost_usd),
    system: options.system ?? '',
    history: options.history ?? [],
    effort: options.reasoning_effort ?? '',
    room: decimalOf(options.reasoning_tokens),
    format: formatText(options.response_format),
    exact: options.exact_model === true ? 'required' : '',
    samples: samples === 1 ? '' : String(samples),
    checks: draftsOf(factsOf(request)['checks']),
  };
}

/** The forms of checks that were sent, or came with an eval. */
function draftsOf(checks: unknown): CheckDraft[] {
  return Array.isArray(checks) ? checks.flatMap((check) => draftOf(check) ?? []) : [];
}

/** The field that an error of the service speaks of, by its `param`. */
export function fieldOfParam(param: string | undefined): FieldName | undefined {
  if (param === undefined) return undefined;
  const list = /^(models|checks)(?:\[\d+\].*)?$/.exec(param)?.[1];
  if (list !== undefined) return list as FieldName;
  const option = /^options\.\w+/.exec(param)?.[0] ?? param;
  const fields: Record<string, FieldName> = {
    prompt: 'prompt',
    input: 'input',
    options: 'temperature',
    ...Object.fromEntries(Object.entries(OPTION_FIELDS).map(([name, field]) => [`options.${name}`, field])),
  };
  return Object.hasOwn(fields, option) ? fields[option] : undefined;
}

/** The options in the head of their fold, such as "temperature 0 · 500 tokens · no cost limit". */
export function optionsText(
  { temperature, maxTokens, maxCostUsd, system, effort, room, format, exact }: Draft,
  hasCeiling = true,
): string {
  const ceiling = hasCeiling ? [ceilingText(maxCostUsd.trim())] : [];
  const tokens = `${maxTokens.trim() || DEFAULT_MAX_TOKENS}${room.trim() === '' ? '' : ` + ${room.trim()}`} tokens`;
  return [
    ...(effort === '' ? [] : [`effort ${effort}`]),
    ...(system.trim() === '' ? [] : ['system message']),
    ...(format.trim() === '' ? [] : ['JSON']),
    ...(exact === '' ? [] : ['exact model']),
    ...(temperature.trim() === '' ? [] : [`temperature ${temperature.trim()}`]),
    tokens,
    ...ceiling,
  ].join(' · ');
}

function ceilingText(maxCostUsd: string): string {
  return maxCostUsd === '' ? 'no cost limit' : `at most $${maxCostUsd}`;
}

/** Checks and samples in the head of their fold, such as "5 samples · 2 checks". */
export function evaluationText({ samples, checks }: Pick<FormContent, 'samples' | 'checks'>): string {
  const [times, count] = [samples.trim() || '1', checks.length];
  if (times === '1' && count === 0) return 'none';
  return `${times} ${times === '1' ? 'sample' : 'samples'} · ${count === 0 ? 'no checks' : pluralize(count, 'check')}`;
}

function checkProblems(made: readonly ({ body: CheckBody } | { problem: string })[]): FieldProblem[] {
  const index = made.findIndex((check) => 'problem' in check);
  const first = made[index];
  return first !== undefined && 'problem' in first
    ? [{ field: 'checks', message: `Check ${index + 1}: ${first.problem}.` }]
    : [];
}

function missing({ prompt, models, history }: FormContent): FieldProblem[] {
  const turn = history.findIndex(({ content }) => content.trim() === '') + 1;
  return [
    ...(prompt.trim() === '' ? [{ field: 'prompt' as const, message: 'Write a prompt first.' }] : []),
    ...(models.length === 0 ? [{ field: 'models' as const, message: 'Choose at least one model.' }] : []),
    ...(turn > 0 ? [{ field: 'history' as const, message: `Turn ${turn} is empty. Write it, or remove it.` }] : []),
  ];
}

function malformed({ temperature, maxTokens, maxCostUsd, samples, room, format }: FormContent): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const check = (field: FieldName, text: string, form: RegExp, message: string) => {
    if (text.trim() !== '' && !form.test(text.trim())) problems.push({ field, message });
  };
  check('temperature', temperature, DECIMAL, 'The temperature must be a number from 0 to 2, such as 0.7.');
  check('maxTokens', maxTokens, WHOLE, 'The number of tokens must be a whole number, such as 500.');
  check(
    'maxCostUsd',
    maxCostUsd,
    DECIMAL,
    'The cost limit must be an amount in dollars with at most 12 decimals, such as 0.05.',
  );
  check('room', room, WHOLE, 'The room for thought must be a whole number, such as 2000.');
  if (format.trim() !== '' && formatOf(format) === undefined)
    problems.push({ field: 'format', message: 'Write json, or a JSON Schema such as {"type":"object"}.' });
  check('samples', samples, WHOLE, 'The number of samples must be a whole number, such as 5.');
  if (problems.every(({ field }) => field !== 'maxCostUsd') && significantDigits(maxCostUsd) > MAX_SIGNIFICANT_DIGITS) {
    problems.push({
      field: 'maxCostUsd',
      message: `The cost limit has more than ${MAX_SIGNIFICANT_DIGITS} significant digits.`,
    });
  }
  return problems;
}

/** The form of the answers that was typed; undefined if it is neither `json` nor a JSON Schema. */
function formatOf(text: string): NonNullable<CompareRequest['options']>['response_format'] {
  if (text.trim() === 'json') return { type: 'json' };
  const check = checkOf({ type: 'json', schema: text });
  const schema = 'body' in check ? check.body['schema'] : undefined;
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
    ? { type: 'json_schema', schema: { ...schema } }
    : undefined;
}

function formatText(format: unknown): string {
  const { type, schema } = factsOf(format);
  return type === 'json_schema' ? JSON.stringify(schema, null, 2) : type === 'json' ? 'json' : '';
}

function significantDigits(text: string): number {
  return text.replace('.', '').trim().replace(/^0+/, '').length;
}

/** Small numbers are written without an exponent, which the form does not take. */
function decimalOf(value: number | undefined): string {
  if (value === undefined) return '';
  const text = String(value);
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text;
}

function numberMember(name: string, text: string): Record<string, number> {
  return text.trim() === '' ? {} : { [name]: Number(text.trim()) };
}
