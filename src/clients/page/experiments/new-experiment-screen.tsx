import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CompareError, type CreatedDataset, type ExperimentRequest } from '../../client/client';
import { NOT_IN_PROMPTS } from '../../client/datasets';
import { TextField } from '../compare/form/field';
import { DECIMAL, fieldOfParam, requestOf } from '../compare/form/form-content';
import { EvaluationFold, OptionsFold, TurnsFold } from '../compare/form/form-folds';
import { formContent, markFields } from '../compare/form/form-state';
import { ModelPicker } from '../compare/form/model-picker';
import { refusalText, withFormLabels } from '../compare/form/refusal';
import { loadModels } from '../compare/models/model-list';
import { Banner, MissingScope } from '../parts/notices';
import { ScreenTitle } from '../parts/screen-title';
import { navigate } from '../router';
import { experimentPath } from '../routes';
import { client, hasScope } from '../session';
import { DataField, FILE_ID } from './data-field';
import { ExperimentEstimateLine, useEstimate } from './experiment-estimate';
import {
  ExpectedCheck,
  forgetPrompt,
  OfferedPrompt,
  type Own,
  proposeCheck,
  useTemplate,
} from './new-experiment-prompt';
import { OwnField } from './own-field';
import { useIdempotencyKey } from './use-pages';

const CAP_ID = 'experiment-cap';
const NO_FILE = 'Choose a file and upload its rows first.';
const NO_CAP = 'Set a cap first: an amount in dollars, such as 4.';

/** Models and options are those of the compare form; its prompt and checks are offered. */
export function NewExperimentScreen() {
  useEffect(() => void loadModels(), []);
  return (
    <section class="experiments">
      <ScreenTitle title="New experiment" />
      <p class="quiet">One prompt for every row of a file, on several models.</p>
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
  const after = new URLSearchParams(location.search).get('after') ?? undefined;
  const unknown = useTemplate(after, own);
  /** The ids of fields that are missing. */
  const missing = useSignal<readonly string[]>([]);
  const { isStarting, isAsking, refusal, start } = useStart(own, missing, after);
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
      {unknown !== '' && <Banner kind="warning">{unknown}</Banner>}
      <DataField
        stored={stored}
        problem={problem(FILE_ID, NO_FILE)}
        onChange={(next) => {
          change({ stored: next });
          proposeCheck(next?.columns);
        }}
      />
      <TextField
        field="prompt"
        label="Prompt"
        rows={3}
        placeholder="Every model receives this prompt"
        hint={promptHint(stored)}
      />
      <OfferedPrompt />
      <TurnsFold />
      <ModelPicker />
      <EvaluationFold />
      {stored?.columns.includes('expected') === true && <ExpectedCheck />}
      <OptionsFold hasCeiling={false} />
      <Limits own={own.value} problem={problem(CAP_ID, NO_CAP)} onChange={change} />
      {refusal !== undefined && <Refusal error={refusal} />}
      <RunArea body={requestBody(own.value)} isStarting={isStarting} isAsking={isAsking} />
    </form>
  );
}

/** The body before the cap is set. */
type Body = Omit<ExperimentRequest, 'max_cost_usd'> & { max_cost_usd?: number };

interface RunAreaProps {
  body: Body | undefined;
  isStarting: boolean;
  isAsking: boolean;
}

function RunArea({ body, isStarting, isAsking }: RunAreaProps) {
  const text = isAsking ? 'Start without a check: nothing will be called better' : 'Start';
  return (
    <div class="run-area">
      <ExperimentEstimateLine price={useEstimate(body)} needed="rows, a prompt and models" />
      <button type="submit" class="button-primary" aria-disabled={isStarting}>
        {isStarting ? 'Starting …' : text}
      </button>
    </div>
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
  after: string | undefined,
): { isStarting: boolean; isAsking: boolean; refusal: CompareError | undefined; start: () => Promise<void> } {
  const isStarting = useSignal(false);
  const isAsking = useSignal(false);
  const refusal = useSignal<CompareError | undefined>(undefined);
  const keyOf = useIdempotencyKey();
  const start = async (): Promise<void> => {
    const body = requestBody(own.value);
    missing.value = markMissing(own.value);
    if (body?.max_cost_usd === undefined || isStarting.value) return;
    if (!hasChecks(own.value) && !isAsking.value) return void (isAsking.value = true);
    [isStarting.value, refusal.value] = [true, undefined];
    try {
      const { experiment_id: id } = await client().experiments.create(
        { ...body, max_cost_usd: body.max_cost_usd },
        { idempotencyKey: keyOf(body) },
      );
      forgetPrompt();
      navigate(`${experimentPath(id)}${after === undefined ? '' : `?against=${after}`}`);
    } catch (error) {
      refusal.value = refusalOf(error);
    } finally {
      isStarting.value = false;
    }
  };
  return {
    isStarting: isStarting.value,
    isAsking: isAsking.value && !hasChecks(own.value),
    refusal: refusal.value,
    start,
  };
}

/** A refusal, which is also shown at its field. */
function refusalOf(error: unknown): CompareError {
  if (!(error instanceof CompareError)) throw error;
  const field = fieldOfParam(error.param);
  if (field !== undefined) markFields([{ field, message: withFormLabels(error.message) }]);
  return error;
}

/** True if the form or the rows have checks: nothing else says which answers are good. */
function hasChecks({ stored }: Own): boolean {
  return formContent.value.checks.length > 0 || stored?.columns.includes('checks') === true;
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
function requestBody({ name, limit, cap, stored }: Own): Body | undefined {
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
