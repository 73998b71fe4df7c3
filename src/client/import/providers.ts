import { KNOWN_MODELS } from './known-models';
import { fail, listOf, membersOf, textOf, type Notes } from './notes';

/** How ids of promptfoo's providers are written here. */
const FORMS: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^openai:(?:(?:chat|responses|completion):)?/, ''], [/^anthropic:(?:messages:)?/, ''], [/^(?:google|vertex|mistral|deepseek|xai):/, ''], [/^groq:(?:.*\/)?/, 'groq/'], [/^openrouter:(?:.*\/)?/, 'openrouter/'],
];
const DATE = /-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/;
const OWN_ACCESS = ['apiKey', 'apiKeyEnvar', 'organization', 'apiVersion', 'cost'];
const MAX_TOKENS = ['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'max_completions_tokens', 'maxOutputTokens'];

/** The models of promptfoo's providers, and the options that they have in common. The others are listed. */
export function convertProviders(given: unknown, place: string, notes: Notes, chosen: readonly string[] | undefined): { models: string[]; options: Record<string, unknown> } {
  const providers = listOf(given).map((one) => (typeof one === 'string' ? { id: one } : 'id' in membersOf(one) ? membersOf(one) : Object.entries(membersOf(one)).map(([id, more]) => ({ id, ...membersOf(more) }))[0] ?? {}));
  const converted = providers.flatMap((provider: Record<string, unknown>, index) => {
    const path = `${place}[${index}]`;
    notes.listOthers(path, provider, ['id', 'config'], ['label', 'delay', 'env']);
    const options = convertConfig(membersOf(provider['config']), `${path}.config`, notes);
    return notes.attempt(path, () => ({ path, options, model: chosen === undefined ? providerModel(provider['id'], path, notes) : '' }));
  });
  const [first] = converted;
  for (const { path, options } of converted) if (JSON.stringify(options) !== JSON.stringify(first?.options)) notes.unconverted.push({ place: `${path}.config`, problem: `differs from that of ${first?.path}; the models of an experiment have the same options` });
  return { models: [...new Set(chosen ?? converted.map(({ model }) => model))], options: first?.options ?? {} };
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
export function convertConfig(config: Record<string, unknown>, place: string, notes: Notes): Record<string, unknown> {
  notes.listOthers(place, config, ['temperature', ...MAX_TOKENS, 'reasoning_effort', 'response_format'], OWN_ACCESS);
  const { temperature, reasoning_effort: effort, response_format: format } = config;
  const maxTokens = MAX_TOKENS.map((name) => config[name]).find((value) => value !== undefined);
  const [responseFormat] = format === undefined ? [] : notes.attempt(`${place}.response_format`, () => formatOf(membersOf(format)));
  const options = { temperature, max_tokens: maxTokens, reasoning_effort: effort, response_format: responseFormat };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function formatOf({ type, schema, json_schema: wrapped }: Record<string, unknown>): object {
  const given = schema ?? membersOf(wrapped)['schema'];
  if (type === 'json_object') return { type: 'json' };
  return type === 'json_schema' && typeof given === 'object' ? { type: 'json_schema', schema: given } : fail('is neither json_object nor json_schema with a schema');
}
