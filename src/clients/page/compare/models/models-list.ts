import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { CompareError, type Model } from '../../../client/client';
import { prefs, setPrefs } from '../../prefs';
import { client, keyInUse } from '../../session';
import { callable, modelOf } from './model-list';

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
