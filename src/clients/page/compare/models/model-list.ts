import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { CompareError, type Model, type ReasoningEffort } from '../../../client/client';
import { prefs, setPrefs } from '../../prefs';
import { client, keyInUse } from '../../session';
import { factsOf } from '../evaluated';
import { groupDigits, MAX_MODELS } from '../limits';

/** The callable models; undefined until they are loaded. */
export type ModelsState =
  { kind: 'loading' } | { kind: 'loaded'; models: readonly Model[] } | { kind: 'failed'; error: CompareError };

const SIMULATOR = 'simulator';
const state = signal<ModelsState>({ kind: 'loading' });

/** The models that can be called. */
export const modelsState: ReadonlySignal<ModelsState> = state;
/** The same, none before they are loaded. */
export const models = computed<readonly Model[]>(() => (state.value.kind === 'loaded' ? state.value.models : []));
/** The ids that the key in use is limited to; null for all. */
export const allowedModels = computed<readonly string[] | null>(() => keyInUse.value?.allowed_models ?? null);
/**
 * The chosen models that can be called, in the order in which they were chosen; on the first visit the simulated ones.
 */
export const chosenModels = computed<readonly string[]>(() => {
  const ids = prefs.value.models ?? models.value.filter(({ provider }) => provider === SIMULATOR).map(({ id }) => id);
  return callable(ids, models.value, allowedModels.value);
});
/** True if all chosen models are covered by the free evals. */
export const areChosenFree = computed(() =>
  models.value
    .filter(({ id }) => chosenModels.value.some((chosen) => modelOf(chosen) === id))
    .every(({ details }) => details?.free === true),
);

/** Chooses these models and remembers them. */
export function chooseModels(ids: readonly string[]): void {
  setPrefs({ models: [...ids] });
}

/** Asks for the models; what was known stays until the answer comes. */
export async function loadModels(): Promise<void> {
  try {
    state.value = { kind: 'loaded', models: await client().models({ details: true }) };
  } catch (error) {
    if (!(error instanceof CompareError)) throw error;
    const allowed = allowedModels.value;
    if (error.status === 403 && allowed !== null) state.value = { kind: 'loaded', models: allowed.map(namedOnly) };
    else if (state.value.kind !== 'loaded' || error.status === 403) state.value = { kind: 'failed', error };
  }
}

/** A model that the key may call but not look up. */
function namedOnly(id: string): Model {
  return { id, name: id, provider: 'prices are not shown to this key', input_per_1m: '–', output_per_1m: '–' };
}

/** How much a model may think before it writes, from the least to the most. */
export const EFFORTS: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The model of an id that may carry an effort, such as `gpt-6.2-sol@low`. */
export function modelOf(id: string): string {
  return id.split('@')[0] ?? id;
}

/** The efforts that a model accepts, least first; none where it does not think or the service does not say. */
function effortsOf({ details }: Model): string[] {
  const { efforts } = factsOf(factsOf(details)['reasoning']);
  return Array.isArray(efforts) ? EFFORTS.filter((effort) => efforts.includes(effort)) : [];
}

/** The ids under which a model can be chosen: its own, and one for each of its efforts. */
export function idsOf(model: Model): string[] {
  return [model.id, ...effortsOf(model).map((effort) => `${model.id}@${effort}`)];
}

type ModelDetails = NonNullable<Model['details']>;

/** The models whose id, name or provider contain every word of a search. */
export function filterModels(models: readonly Model[], search: string): Model[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return models.filter(({ id, name, provider }) =>
    words.every((word) => `${id} ${name} ${provider}`.toLowerCase().includes(word)),
  );
}

/** Those with these ids first, each part in the order in which it was. */
export function withFirst(models: readonly Model[], ids: readonly string[]): Model[] {
  const isFirst = ({ id }: Model) => ids.includes(id);
  return [...models.filter(isFirst), ...models.filter((model) => !isFirst(model))];
}

/** The choice with one more or one less; a model that would be one too many is not added. */
export function toggleModel(chosen: readonly string[], id: string): string[] {
  if (chosen.includes(id)) return chosen.filter((other) => other !== id);
  return chosen.length >= MAX_MODELS ? [...chosen] : [...chosen, id];
}

/** Why a model cannot be chosen; undefined when it can, or is. */
export function reasonNotToChoose(
  { id }: Pick<Model, 'id'>,
  chosen: readonly string[],
  allowed: readonly string[] | null,
): string | undefined {
  if (chosen.includes(id)) return undefined;
  if (allowed !== null && !allowed.includes(modelOf(id))) return 'This key may not call this model.';
  return chosen.length >= MAX_MODELS ? `At most ${MAX_MODELS} models are compared at once.` : undefined;
}

/** The options that a model will not follow, shown before the run. */
export function modelNotes(
  model: Model,
  { temperature, maxTokens, effort }: { temperature: string; maxTokens: string; effort: string },
): string[] {
  const { details } = model;
  if (details === undefined) return [];
  const [asked, tokens, max] = [numberIn(temperature), numberIn(maxTokens), details.max_output_tokens];
  const notes = [
    ...(asked === undefined ? [] : temperatureNotes(details, asked)),
    ...effortNotes(effortsOf(model), effort),
  ];
  return tokens === undefined || max === null || tokens <= max
    ? notes
    : [...notes, `writes at most ${groupDigits(max)} tokens`];
}

function temperatureNotes({ accepts }: ModelDetails, asked: number): string[] {
  // Older and newer services may leave members out.
  const range = (accepts as typeof accepts | undefined)?.temperature;
  if (range === null) return ['accepts no temperature; it is left out'];
  return range === undefined || (asked >= range.min && asked <= range.max)
    ? []
    : [`accepts a temperature from ${range.min} to ${range.max}; the nearest value is sent`];
}

/** Services that do not say which efforts a model has say nothing of others either. */
function effortNotes(efforts: readonly string[], asked: string): string[] {
  return asked === '' || efforts.length === 0 || efforts.includes(asked)
    ? []
    : [`has no effort ${asked}; the nearest of ${efforts.join(', ')} is sent`];
}

/** Name, vendor and limits of a model. */
export function describeModel({ name, provider, details }: Model): string {
  const limits: [string, unknown][] = [
    ['reads', details?.context_window],
    ['writes', details?.max_output_tokens],
  ];
  return [
    `${name}, ${provider}`,
    ...(details?.stage === 'preview' ? ['preview'] : []),
    ...limits.flatMap(([does, tokens]) =>
      typeof tokens === 'number' ? [`${does} up to ${groupDigits(tokens)} tokens`] : [],
    ),
  ].join(' · ');
}

/** When and for what a vendor ends the model; undefined where nothing is announced. */
export function endText({ details }: Model): string | undefined {
  const end = details?.deprecation;
  if (end === undefined || end === null) return undefined;
  return `The vendor retires this model on ${end.on}${end.successor === null ? '' : `; successor: ${end.successor}`}`;
}

/** A choice that was stored or came with an address, as far as this key can call it now. */
export function callable(
  ids: readonly string[],
  models: readonly Model[],
  allowed: readonly string[] | null,
): string[] {
  const known = models.flatMap(idsOf);
  return ids
    .filter((id) => known.includes(id) && (allowed === null || allowed.includes(modelOf(id))))
    .slice(0, MAX_MODELS);
}

function numberIn(text: string): number | undefined {
  return /^\s*(?:\d+\.?\d*|\.\d+)\s*$/.test(text) ? Number(text) : undefined;
}
