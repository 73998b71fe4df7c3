import { KNOWN_MODELS } from './known-models';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';

/** How ids of promptfoo's providers are written here. */
const FORMS: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^openai:(?:(?:chat|responses|completion):)?/, ''],
  [/^anthropic:(?:messages:)?/, ''],
  [/^(?:google|vertex|mistral|deepseek|xai):/, ''],
  [/^groq:(?:.*\/)?/, 'groq/'],
  [/^openrouter:(?:.*\/)?/, 'openrouter/'],
];
const DATE = /-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/;
/** Names, and where a vendor is and how it is reached; the service has its own access. */
const HARMLESS =
  /^(?:label|delay|env|region|profile|access\w*|secret\w*|session_?token|api\w*|base_?url|url|endpoint|headers|organization|project(?:_?id|url)?|deployment\w*|account\w*|workspace_?url|timeout\w*|max_?retries|cost|debug|verbose|tls)$/i;
/**
 * Words of the question, and the form that the answer is asked in. All else belongs to a model that is not called where
 * others replace it.
 */
const ASKS =
  /^(?:instructions?|system.*|prompt|message.*|context|body|parts|transform\w*|(?:generation_?|stream_?)?response.*|output_?(?:format|type)|.*schema|.*mime_?type|stop\w*)$/i;
/** A path into the JSON of a vendor. */
const JSON_PATH = /^(?:json|data|response)(?:\??\.\w+|(?:\?\.)?\[\d+\])+$/;
const FORMAT = 'response_format';
const SYSTEM = ['instructions', 'systemInstruction', 'system', 'system_prompt'];
const MAX_TOKENS = [
  'max_tokens',
  'max_output_tokens',
  'max_completion_tokens',
  'max_completions_tokens',
  'maxOutputTokens',
  'maxTokens',
];

/** The providers of a configuration, each with its members. */
export function providersOf(given: unknown): Record<string, unknown>[] {
  return listOf(given).map((one) => {
    const [[id, more] = ['', {}]] = Object.entries(membersOf(one));
    return typeof one === 'string' ? { id: one } : 'id' in membersOf(one) ? membersOf(one) : { id, ...membersOf(more) };
  });
}

/** The models of providers, and the options that these have in common. Other members are listed. */
export function convertProviders(
  providers: readonly Record<string, unknown>[],
  place: string,
  notes: Notes,
  chosen: readonly string[] | undefined,
): { models: string[]; options: Record<string, unknown> } {
  const isReplaced = chosen !== undefined;
  const converted = providers.flatMap((provider, index) => {
    const path = `${place}[${index}]`;
    listMembers(path, provider, ['id', 'config', 'transform'], notes, isReplaced);
    const options = convertConfig(membersOf(provider['config']), `${path}.config`, notes, isReplaced);
    return notes.attempt(path, () => ({
      options,
      model: isReplaced ? '' : providerModel(provider['id'], path, notes),
    }));
  });
  const models = chosen ?? converted.map(({ model }) => model);
  return {
    models: [...new Set(models)],
    options: commonOptions(
      converted.map(({ options }) => options),
      place,
      notes,
      isReplaced,
    ),
  };
}

/** The options that all providers have; the models of an experiment have the same. */
function commonOptions(
  all: readonly Record<string, unknown>[],
  place: string,
  notes: Notes,
  isReplaced: boolean,
): Record<string, unknown> {
  const options = Object.entries(Object.assign({}, ...all) as object);
  const isCommon = ([name, value]: [string, unknown]) =>
    all.every((each) => JSON.stringify(each[name]) === JSON.stringify(value));
  for (const [name] of options.filter((each) => !isCommon(each))) {
    const isRemark = isReplaced && name !== FORMAT && name !== 'system';
    notes[isRemark ? 'remarks' : 'unconverted'].push({ place, problem: `differ in ${name}, which is left out` });
  }
  return Object.fromEntries(options.filter(isCommon));
}

/** Lists the members that are not converted. What asks nothing goes with a provider that is replaced. */
function listMembers(
  place: string,
  members: Record<string, unknown>,
  known: readonly string[],
  notes: Notes,
  isReplaced: boolean,
): void {
  const names = Object.keys(members);
  notes.listOthers(
    place,
    members,
    known,
    names.filter((name) => HARMLESS.test(name)),
    names.filter((name) => isReplaced && !asks(name, members[name])),
  );
}

/** True if a request has the prompt and no other words. */
function isEnvelope(body: unknown): boolean {
  const text = JSON.stringify(body);
  return /"\{\{\s*prompt\s*\}\}"/.test(text) && !/\s/.test(text.replace(/\{\{\s*\w+\s*\}\}/g, ''));
}

/**
 * True for a member that is part of the question, also within other members. A path into the answer of a vendor is
 * none.
 */
function asks(name: string, value: unknown): boolean {
  if (HARMLESS.test(name) || JSON_PATH.test(String(membersOf(value)['path'] ?? value)) || isEnvelope(value))
    return false;
  return ASKS.test(name) || Object.entries(membersOf(value)).some(([inner, each]) => asks(inner, each));
}

/** The id of a model here. @throws Unconverted */
export function providerModel(given: unknown, place: string, notes: Notes): string {
  const id = textOf(given);
  const form = FORMS.find(([theirs]) => theirs.test(id));
  const ours = form === undefined ? id : id.replace(...form);
  const model =
    [ours, ours.replace(DATE, '')].find((each) => KNOWN_MODELS.includes(each)) ??
    fail(`(${id}) is no model of the service; choose models that it has`);
  if (model !== ours) notes.remarks.push({ place, problem: `(${id}) is ${model} now, without the date` });
  return model;
}

/** The options of the configuration of a model; other members are listed. */
export function convertConfig(
  config: Record<string, unknown>,
  place: string,
  notes: Notes,
  isReplaced = false,
): Record<string, unknown> {
  const system = SYSTEM.find((name) => typeof config[name] === 'string' && !/^file:|\{\{|\{%/.test(config[name])) ?? '';
  const maxTokens = MAX_TOKENS.find((name) => config[name] !== undefined) ?? '';
  listMembers(place, config, ['temperature', ...MAX_TOKENS, 'reasoning_effort', FORMAT, system], notes, isReplaced);
  const { temperature, reasoning_effort: effort, response_format: format } = config;
  const [responseFormat] =
    format === undefined ? [] : notes.attempt(`${place}.response_format`, () => formatOf(membersOf(format)));
  const options = {
    temperature,
    max_tokens: config[maxTokens],
    reasoning_effort: effort,
    response_format: responseFormat,
    system: config[system],
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function formatOf({ type, schema, json_schema: wrapped }: Record<string, unknown>): object {
  const given = schema ?? membersOf(wrapped)['schema'];
  if (type === 'json_object') return { type: 'json' };
  return type === 'json_schema' && typeof given === 'object'
    ? { type: 'json_schema', schema: given }
    : fail('is neither json_object nor json_schema with a schema');
}
