import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type CreatedDataset, type ExperimentEstimateRequest } from '../../client/client';
import { newIdempotencyKey } from '../../client/compare-call';
import { NOT_IN_PROMPTS } from '../../client/datasets';
import { TextField } from '../compare/form/field';
import { DECIMAL, fieldOfParam, requestOf } from '../compare/form/form-content';
import { EvaluationFold, OptionsFold } from '../compare/form/form-folds';
import { changeForm, formContent, markFields } from '../compare/form/form-state';
import { ModelPicker } from '../compare/form/model-picker';
import { refusalText, withFormLabels } from '../compare/form/refusal';
import { loadModels } from '../compare/models/model-list';
import { Banner, MissingScope } from '../parts/notices';
import { ScreenTitle } from '../parts/screen-title';
import { navigate } from '../router';
import { experimentPath } from '../routes';
import { client, hasScope } from '../session';
import { DataField, FILE_ID } from './data-field';
import { ExperimentEstimateLine } from './experiment-estimate';
import { OwnField } from './own-field';

/** The part of the form that a compare does not have. */
interface Own {
  name: string;
  limit: string;
  cap: string;
  stored: CreatedDataset | undefined;
}

const CAP_ID = 'experiment-cap';
const NO_FILE = 'Choose a file and upload its rows first.';
const NO_CAP = 'Set a cap first: an amount in dollars, such as 4.';

/**
 * Prompt, models, checks and options are those of the compare form: a prompt that was tried there on one input goes on
 * here with many.
 */
export function NewExperimentScreen() {
  return (
    <section class="experiments">
      <ScreenTitle title="New experiment" />
      {hasScope('experiments') ? (
        <NewExperiment />
      ) : (
        <MissingScope scope="experiments" purpose="to start experiments" />
      )}
    </section>
  );
}

function NewExperiment() {
  const own = useSignal<Own>({ name: '', limit: '', cap: '', stored: undefined });
  /** The ids of fields that are missing. */
  const missing = useSignal<readonly string[]>([]);
  const { isStarting, refusal, start } = useStart(own, missing);
  useEffect(() => void loadModels(), []);
  const change = (part: Partial<Own>): void => {
    own.value = { ...own.value, ...part };
    missing.value = [];
  };
  const { stored } = own.value;
  const problem = (id: string, words: string) => (missing.value.includes(id) ? words : undefined);
  return (
    <form
      class="compare-form new-experiment"
      aria-label="New experiment"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <p class="quiet">
        One prompt for every row of a file, on several models. Prompt, models, checks and options are shared with the{' '}
        <a href="/">compare form</a>.
      </p>
      <DataField stored={stored} problem={problem(FILE_ID, NO_FILE)} onChange={(next) => change({ stored: next })} />
      <TextField
        field="prompt"
        label="Prompt"
        rows={3}
        placeholder="Every model receives this prompt"
        hint={promptHint(stored)}
      />
      <ModelPicker />
      <EvaluationFold />
      {stored?.columns.includes('expected') === true && <ExpectedCheck />}
      <OptionsFold hasCeiling={false} />
      <Limits own={own.value} problem={problem(CAP_ID, NO_CAP)} onChange={change} />
      {refusal !== undefined && <Refusal error={refusal} />}
      <div class="run-area">
        <ExperimentEstimateLine body={requestBody(own.value)} />
        <button type="submit" class="button-primary" aria-disabled={isStarting}>
          {isStarting ? 'Starting …' : 'Start'}
        </button>
      </div>
    </form>
  );
}

function Limits({
  own: { name, limit, cap },
  problem,
  onChange,
}: {
  own: Own;
  problem: string | undefined;
  onChange: (part: Partial<Own>) => void;
}) {
  return (
    <div class="experiment-limits">
      <OwnField
        id="experiment-name"
        label="Name"
        hint="optional"
        value={name}
        placeholder="none"
        onInput={(text) => onChange({ name: text })}
      />
      <OwnField
        id="experiment-limit"
        label="Rows"
        hint="drawn at random"
        value={limit}
        placeholder="all"
        onInput={(text) => onChange({ limit: text })}
      />
      <OwnField
        id={CAP_ID}
        label="Cap, $"
        hint="never exceeded"
        value={cap}
        placeholder="such as 4"
        problem={problem}
        onInput={(text) => onChange({ cap: text })}
      />
    </div>
  );
}

/** Starts the experiment of the form and goes to its screen; otherwise marks what is missing. */
function useStart(
  own: Signal<Own>,
  missing: Signal<readonly string[]>,
): { isStarting: boolean; refusal: CompareError | undefined; start: () => Promise<void> } {
  const isStarting = useSignal(false);
  const refusal = useSignal<CompareError | undefined>(undefined);
  // The same experiment again, after an answer that was lost, must not be a second one.
  const sent = useRef({ text: '', idempotencyKey: '' });
  const start = async (): Promise<void> => {
    const body = requestBody(own.value);
    missing.value = markMissing(own.value);
    if (body?.max_cost_usd === undefined || isStarting.value) return;
    const text = JSON.stringify(body);
    if (sent.current.text !== text) sent.current = { text, idempotencyKey: newIdempotencyKey() };
    [isStarting.value, refusal.value] = [true, undefined];
    try {
      navigate(
        experimentPath(
          (
            await client().experiments.create(
              { ...body, max_cost_usd: body.max_cost_usd },
              { idempotencyKey: sent.current.idempotencyKey },
            )
          ).experiment_id,
        ),
      );
    } catch (error) {
      if (!(error instanceof CompareError)) throw error;
      refusal.value = error;
      const field = fieldOfParam(error.param);
      if (field !== undefined) markFields([{ field, message: withFormLabels(error.message) }]);
    } finally {
      isStarting.value = false;
    }
  };
  return { isStarting: isStarting.value, refusal: refusal.value, start };
}

/**
 * Marks the fields of compares that are missing or wrong; returns the ids of the other missing fields, the first of
 * which gets the focus.
 */
function markMissing({ stored, cap }: Own): string[] {
  const made = requestOf(formContent.value);
  if ('problems' in made) markFields(made.problems);
  const ids = [...(stored === undefined ? [FILE_ID] : []), ...(isAmount(cap) ? [] : [CAP_ID])];
  // After the focus that a marked field asks for.
  requestAnimationFrame(() => document.getElementById(ids[0] ?? '')?.focus());
  return ids;
}

function promptHint(stored: CreatedDataset | undefined): string {
  const names = stored?.columns.filter((name) => !NOT_IN_PROMPTS.includes(name)) ?? ['input'];
  return `${names
    .slice(0, 5)
    .map((name) => `{${name.slice(0, 40)}}`)
    .join(', ')}: replaced by each row`;
}

/** Offers the check that most data sets with expected answers want. */
function ExpectedCheck() {
  const { checks } = formContent.value;
  if (checks.some(({ values, value }) => [values, value].includes('{expected}'))) return null;
  return (
    <p class="examples">
      <span class="quiet">Suggested: the answer equals {'{expected}'}</span>
      <button
        type="button"
        class="chip"
        aria-label="Add the check: the answer equals {expected}"
        onClick={() => changeForm({ checks: [...checks, { type: 'equals', value: '{expected}' }] })}
      >
        Add
      </button>
    </p>
  );
}

function Refusal({ error }: { error: CompareError }) {
  const { lines, wantsPayment } = refusalText(error);
  return (
    <Banner kind="failure">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {wantsPayment && <a href="/usage">To the payment method</a>}
    </Banner>
  );
}

/**
 * The body for the service; undefined while something is missing. The input comes from the rows, and the cap takes the
 * place of a ceiling.
 */
function requestBody({ name, limit, cap, stored }: Own): ExperimentEstimateRequest | undefined {
  const made = requestOf({ ...formContent.value, input: '', maxCostUsd: '' });
  if (stored === undefined || 'problems' in made) return undefined;
  // The service says if the number of rows is wrong.
  return {
    ...made.body,
    dataset: stored.dataset_id,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(limit.trim() !== '' && { limit: Number(limit.trim()) }),
    ...(isAmount(cap) && { max_cost_usd: Number(cap.trim()) }),
  };
}

function isAmount(text: string): boolean {
  return DECIMAL.test(text.trim()) && Number(text) > 0;
}
