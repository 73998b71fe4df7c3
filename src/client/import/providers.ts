import { KNOWN_MODELS } from './known-models';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';

/** How ids of promptfoo's providers are written here. */
const FORMS: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^openai:(?:(?:chat|responses|completion):)?/, ''], [/^anthropic:(?:messages:)?/, ''], [/^(?:google|vertex|mistral|deepseek|xai):/, ''], [/^groq:(?:.*\/)?/, 'groq/'], [/^openrouter:(?:.*\/)?/, 'openrouter/'],
];
const DATE = /-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/;
/** Where a vendor is and how it is reached; the service has its own access. */
const ACCESS = /^(?:region|profile|access\w*|secret\w*|session_?token|api\w*|base_?url|url|endpoint|headers|organization|project(?:_?id|url)?|deployment\w*|account\w*|workspace_?url|timeout\w*|max_?retries|cost|debug|verbose|tls)$/i;
/** Parts of the question and of the answer. Other settings belong to a model that is not called where others replace it. */
const ASKS = /^(?:.*tool.*|function.*|mcp.*|instructions?|system.*|prompt|message.*|context|body|parts|transform\w*|(?:generation_?)?response.*|output_?(?:format|type)|.*schema|.*mime_?type|stop\w*|stream_?response|search\w*|.*search\w*|connectors|knowledge\w*|extra\w*|passthrough|agent\w*|servers|working_dir|guardrail\w*|assistant\w*|thread\w*|session\w*|maintain\w*)$/i;
/** A path into the JSON of a vendor. */
const JSON_PATH = /^(?:json|data|response)(?:\??\.\w+|(?:\?\.)?\[\d+\])+$/;
const FORMAT = 'response_format';
const SYSTEM = ['instructions', 'systemInstruction', 'system', 'system_prompt'];
const MAX_TOKENS = ['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'max_completions_tokens', 'maxOutputTokens', 'maxTokens'];

/** The models of promptfoo's providers, and the options that they have in common. The others are listed. */
export function convertProviders(given: unknown, place: string, notes: Notes, chosen: readonly string[] | undefined): { models: string[]; options: Record<string, unknown> } {
  const providers = listOf(given).map((one) => (typeof one === 'string' ? { id: one } : 'id' in membersOf(one) ? membersOf(one) : Object.entries(membersOf(one)).map(([id, more]) => ({ id, ...membersOf(more) }))[0] ?? {}));
  const converted = providers.flatMap((provider: Record<string, unknown>, index) => {
    const path = `${place}[${index}]`;
    notes.listOthers(path, provider, ['id', 'config', 'transform'], ['label', 'delay', 'env']);
    const options = convertConfig(membersOf(provider['config']), `${path}.config`, notes, chosen !== undefined);
    return notes.attempt(path, () => ({ path, options, model: chosen === undefined ? providerModel(provider['id'], path, notes) : '' }));
  });
  const [first] = converted;
  if (chosen !== undefined) return { models: [...new Set(chosen)], options: commonOptions(converted, notes) };
  for (const { path, options } of converted) if (JSON.stringify(options) !== JSON.stringify(first?.options)) notes.unconverted.push({ place: `${path}.config`, problem: `differs from that of ${first?.path}; the models of an experiment have the same options` });
  return { models: [...new Set(converted.map(({ model }) => model))], options: first?.options ?? {} };
}

/** The transforms of the answers of all providers; several are a list, which has no counterpart. */
export function providerTransforms(given: unknown): unknown[] {
  const transforms = [...new Set(listOf(given).map((one) => membersOf(one)['transform'] ?? membersOf(Object.values(membersOf(one))[0])['transform']))];
  return transforms.length > 1 ? [transforms] : transforms.filter((each) => each !== undefined);
}

/** The options that all replaced providers have; a format that some have is asked of all models or of none. */
function commonOptions(converted: readonly { path: string; options: Record<string, unknown> }[], notes: Notes): Record<string, unknown> {
  const [first, ...others] = converted;
  const names = new Set(converted.flatMap(({ options }) => Object.keys(options)));
  const isCommon = (name: string) => others.every(({ options }) => JSON.stringify(options[name]) === JSON.stringify(first?.options[name]));
  for (const name of [...names].filter((each) => !isCommon(each))) notes[[FORMAT, 'system'].includes(name) ? 'unconverted' : 'remarks'].push({ place: `${first?.path}.config.${name}`, problem: 'is left out; the replaced providers differ in it' });
  return Object.fromEntries(Object.entries(first?.options ?? {}).filter(([name]) => isCommon(name)));
}

/** True if a request has the prompt and no other words. */
function isEnvelope(body: unknown): boolean {
  const text = JSON.stringify(body);
  return /"\{\{\s*prompt\s*\}\}"/.test(text) && !/\s/.test(text.replace(/\{\{\s*\w+\s*\}\}/g, ''));
}

function asks(name: string, value: unknown): boolean {
  if (ACCESS.test(name) || JSON_PATH.test(String(name === 'responseFormat' ? membersOf(value)['path'] : name === 'transformResponse' && value)) || (name === 'body' && isEnvelope(value))) return false;
  return ASKS.test(name) || Object.entries(membersOf(value)).some(([inner, each]) => asks(inner, each));
}

/** The id of a model here. @throws Unconverted */
export function providerModel(given: unknown, place: string, notes: Notes): string {
  const id = textOf(given);
  const form = FORMS.find(([theirs]) => theirs.test(id));
  const ours = form === undefined ? id : id.replace(...form);
  const model = [ours, ours.replace(DATE, '')].find((each) => KNOWN_MODELS.includes(each)) ?? fail(`(${id}) is no model of the service; choose models that it has`);
  if (model !== ours) notes.remarks.push({ place, problem: `(${id}) is ${model} now, without the date` });
  return model;
}

/** The options of the configuration of a model; other members are listed. */
export function convertConfig(config: Record<string, unknown>, place: string, notes: Notes, isReplaced = false): Record<string, unknown> {
  const harmless = Object.keys(config).filter((name) => ACCESS.test(name) || (isReplaced && !asks(name, config[name])));
  const system = SYSTEM.find((name) => typeof config[name] === 'string' && !/^file:|\{\{|\{%/.test(config[name]));
  notes.listOthers(place, config, ['temperature', ...MAX_TOKENS, 'reasoning_effort', FORMAT, ...listOf(system) as string[]], harmless);
  const { temperature, reasoning_effort: effort, response_format: format } = config;
  const maxTokens = MAX_TOKENS.map((name) => config[name]).find((value) => value !== undefined);
  const [responseFormat] = format === undefined ? [] : notes.attempt(`${place}.response_format`, () => formatOf(membersOf(format)));
  const options = { temperature, max_tokens: maxTokens, reasoning_effort: effort, response_format: responseFormat, system: system && config[system] };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function formatOf({ type, schema, json_schema: wrapped }: Record<string, unknown>): object {
  const given = schema ?? membersOf(wrapped)['schema'];
  if (type === 'json_object') return { type: 'json' };
  return type === 'json_schema' && typeof given === 'object' ? { type: 'json_schema', schema: given } : fail('is neither json_object nor json_schema with a schema');
}
