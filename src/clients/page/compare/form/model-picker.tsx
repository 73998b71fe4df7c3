import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Estimate, Model } from '../../../client/client';
import { shortPrice } from '../../money';
import { Dialog } from '../../parts/dialog';
import { Icon } from '../../parts/icons';
import { Skeleton } from '../../parts/notices';
import { money } from '../answers/figures';
import { MAX_MODELS } from '../limits';
import {
  allowedModels,
  chosenModels,
  describeModel,
  endText,
  filterModels,
  idsOf,
  loadModels,
  modelNotes,
  modelOf,
  models,
  modelsState,
  reasonNotToChoose,
  toggleModel,
  withFirst,
} from '../models/model-list';
import { BreakableName, ModelMark } from '../models/model-mark';
import { costsOfCalls, modelEstimateText } from './estimate';
import { estimateState } from './estimate-line';
import { ProblemText } from './field';
import { changeForm, effort, fieldId, fieldProblems, formContent, maxTokens, temperature } from './form-state';
import { refusalText } from './refusal';

const ID = fieldId('models');
/** A shorter list needs no search. */
const MIN_MODELS_TO_SEARCH = 6;

/** The models with their prices: a list in the form, or a dialog if the list would take too much room. */
export function ModelPicker() {
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  const problem = fieldProblems.value.models;
  const chosen = chosenModels.value;
  return (
    <fieldset class="field model-picker" aria-describedby={problem === undefined ? undefined : `${ID}-problem`}>
      <legend>
        Models{' '}
        <span class="quiet">
          {chosen.length} of {MAX_MODELS}
        </span>
      </legend>
      {chosen.length >= MAX_MODELS && (
        <p class="quiet">At most {MAX_MODELS} models can be compared at once: remove one to choose another.</p>
      )}
      <div class="model-picker-inline">
        <ModelsState />
      </div>
      <PickerButton isOpen={isOpen} />
      <ProblemText id={ID} problem={problem} />
      {isOpen.value && (
        <Dialog title={`Models ${chosen.length} of ${MAX_MODELS}`} class="dialog-full" onClose={close}>
          <ModelsState />
          <button type="button" class="button-primary" onClick={close}>
            Done
          </button>
        </Dialog>
      )}
    </fieldset>
  );
}

/** Names the chosen models, and opens the list of all. */
function PickerButton({ isOpen }: { isOpen: Signal<boolean> }) {
  const chosen = chosenModels.value;
  return (
    <button
      type="button"
      class="model-picker-button"
      data-field="models"
      aria-haspopup="dialog"
      onClick={() => {
        isOpen.value = true;
      }}
    >
      <span class="visually-hidden">Choose models: </span>
      <span class="model-picker-chosen">
        {chosen.length === 0
          ? 'None chosen'
          : chosen.map((id, index) => (
              <span key={id}>
                {index > 0 && ' · '}
                <bdi>
                  <BreakableName model={id} />
                </bdi>
              </span>
            ))}
      </span>
      <span aria-hidden="true">›</span>
    </button>
  );
}

function ModelsState() {
  const state = modelsState.value;
  if (state.kind === 'loading') return <Skeleton lines={4} />;
  if (state.kind === 'failed')
    return (
      <p class="problem">
        {refusalText(state.error).lines.join(' ')}{' '}
        <button type="button" onClick={() => void loadModels()}>
          Try again
        </button>
      </p>
    );
  if (state.models.length === 0)
    return (
      <p class="problem">No model is available: the operator has configured no vendor and the simulator is off.</p>
    );
  return <ModelList />;
}

function ModelList() {
  const search = useSignal('');
  // The order of the first rendering: a line must not move away from the pointer that has just chosen it.
  const first = useRef(chosenModels.peek());
  const isByCall = useSignal(false);
  const found = filterModels(withFirst(models.value, first.current), search.value);
  const costs = isByCall.value ? costsOfCalls(found, knownEstimate(), formContent.value) : undefined;
  return (
    <>
      {models.value.length >= MIN_MODELS_TO_SEARCH && (
        <input
          class="model-search"
          data-field="models"
          type="search"
          placeholder="Find a model"
          aria-label="Find a model"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isByCall.value}
          onChange={(event) => void (isByCall.value = event.currentTarget.checked)}
        />
        Sort by what 1,000 calls of this prompt cost with the longest answers
      </label>
      <p class="model-columns quiet" aria-hidden="true">
        <span>{costs === undefined ? '$ per million tokens' : '$ per 1,000 calls'}</span>
        <span>{costs === undefined ? 'in' : 'about'}</span>
        {costs === undefined && <span>out</span>}
      </p>
      <ul class="model-list">
        {(costs === undefined
          ? found
          : found.toSorted((one, other) => (costs.get(one) ?? 0) - (costs.get(other) ?? 0))
        ).map((model) => (
          <ModelLine key={model.id} model={model} cost={costs?.get(model)} />
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">No model id, name or vendor contains this text.</p>}
    </>
  );
}

function ModelLine({ model, cost }: { model: Model; cost: number | undefined }) {
  const { id } = model;
  const chosen = chosenModels.value;
  const reason = reasonNotToChoose(model, chosen, allowedModels.value);
  const isChosen = chosen.includes(id);
  const notes = isChosen
    ? modelNotes(model, { temperature: temperature.value, maxTokens: maxTokens.value, effort: effort.value })
    : [];
  const end = endText(model);
  return (
    <li title={reason ?? describeModel(model)}>
      <label class="model-line" data-disabled={reason !== undefined}>
        <input
          type="checkbox"
          data-field="models"
          checked={isChosen}
          disabled={reason !== undefined}
          onChange={() => changeForm({ models: toggleModel(chosen, id) })}
        />
        {isChosen && <ModelMark model={id} models={chosen} />}
        <span class="model-name">
          <BreakableName model={id} />
          <span class="visually-hidden">
            , {model.name}, {model.provider}
          </span>
        </span>
        {model.details?.free === true && (
          <span class="tag" title="Covered by the free evals">
            free
          </span>
        )}
        {end !== undefined && (
          <span class="model-end" title={end}>
            <Icon name="calendar" />
            <span class="visually-hidden">{end}</span>
          </span>
        )}
        <Prices model={model} cost={cost} />
      </label>
      {isChosen && <ModelEstimate id={id} />}
      <Arms model={model} chosen={chosen} />
      {notes.map((note) => (
        <p key={note} class="model-note">
          <i aria-hidden="true">⚠</i> {note}
        </p>
      ))}
    </li>
  );
}

/** Of a million tokens, or of 1,000 calls with the longest answers. */
function Prices({ model, cost }: { model: Model; cost: number | undefined }) {
  if (cost === undefined)
    return (
      <>
        <Price exact={model.input_per_1m} kind="in" />
        <Price exact={model.output_per_1m} kind="out" />
      </>
    );
  const { text, title } = money(cost.toFixed(12));
  return (
    <span class="price" title={`About ${title} for 1,000 calls with the longest answers`}>
      {text.replace('$', '')}
      <span class="visually-hidden"> dollars for 1,000 calls with the longest answers</span>
    </span>
  );
}

/** The model at each of its efforts, each a separate choice; shown once one of these is chosen. */
function Arms({ model, chosen }: { model: Model; chosen: readonly string[] }) {
  const [, ...arms] = idsOf(model);
  if (arms.length === 0) return null;
  return (
    <p
      class="model-arms"
      data-shown={chosen.some((id) => modelOf(id) === model.id)}
      role="group"
      aria-label={`${model.id} at another effort`}
    >
      <span class="quiet" aria-hidden="true">
        effort
      </span>
      {arms.map((id) => {
        const reason = reasonNotToChoose({ id }, chosen, allowedModels.value);
        return (
          <button
            key={id}
            type="button"
            class="chip"
            aria-pressed={chosen.includes(id)}
            disabled={reason !== undefined}
            title={reason ?? `Compare ${id}`}
            onClick={() => changeForm({ models: toggleModel(chosen, id) })}
          >
            {id.slice(model.id.length)}
          </button>
        );
      })}
    </p>
  );
}

function Price({ exact, kind }: { exact: string; kind: 'in' | 'out' }) {
  return (
    <span class="price" title={`$${exact} per million tokens ${kind}`}>
      {shortPrice(exact).replace('$', '')}
      <span class="visually-hidden"> dollars per million tokens {kind}</span>
    </span>
  );
}

function knownEstimate(): Estimate | undefined {
  const state = estimateState.value;
  return state.kind === 'known' ? state.estimate : state.kind === 'asking' ? state.previous : undefined;
}

/** The price of this model, shown while the pointer or the focus is on it. */
function ModelEstimate({ id }: { id: string }) {
  const estimate = knownEstimate();
  const text = estimate === undefined ? undefined : modelEstimateText(estimate, id);
  return text === undefined ? null : <p class="model-estimate quiet">{text}</p>;
}
