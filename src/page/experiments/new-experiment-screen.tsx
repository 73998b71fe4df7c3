import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type Dataset, type ExperimentEstimate, type ExperimentEstimateRequest } from '../../client/client';
import { shortAmount } from '../../client/amount-text';
import { MAX_CHECKS } from '../compare/check-drafts';
import { EvaluationFold } from '../compare/evaluation-fold';
import { TextField } from '../compare/field';
import { DECIMAL, fieldOfParam, requestOf } from '../compare/form-content';
import { changeForm, formContent, markFields } from '../compare/form-state';
import { groupDigits } from '../compare/limits';
import { ModelPicker } from '../compare/model-picker';
import { loadModels } from '../compare/models-list';
import { OptionsFold } from '../compare/options-fold';
import { refusalText, withFormLabels } from '../compare/refusal';
import { percentText } from '../evaluation/numbers';
import { Banner } from '../parts/banner';
import { MissingScope } from '../parts/missing-scope';
import { ScreenTitle } from '../parts/screen-title';
import { navigate } from '../router';
import { experimentPath } from '../routes';
import { client, hasScope } from '../session';
import { DataField, FILE_ID } from './data-field';
import { OwnField } from './own-field';

const ESTIMATE_AFTER_MS = 400;
const CAP_ID = 'experiment-cap';
const LIMIT_ID = 'experiment-limit';

/** What the form has beside the fields of a compare. */
interface Own {
  name: string;
  limit: string;
  cap: string;
}

/** Prompt, models, checks and options are those of the compare form: what was tried there on one input goes on here with many. */
export function NewExperimentScreen() {
  return (
    <section class="experiments">
      <ScreenTitle title="New experiment" />
      {hasScope('experiments') ? <NewExperiment /> : <MissingScope scope="experiments" purpose="to start experiments" />}
    </section>
  );
}

function NewExperiment() {
  const own = useSignal<Own>({ name: '', limit: '', cap: '' });
  const data = useSignal<{ dataset: Dataset; names: readonly string[] } | undefined>(undefined);
  const problems = useSignal<Partial<Record<string, string>>>({});
  const refusal = useSignal<CompareError | undefined>(undefined);
  const isStarting = useSignal(false);
  // The same experiment again, after an answer that was lost, must not be a second one.
  const sent = useRef({ body: '', idempotencyKey: '' });
  useEffect(() => void loadModels(), []);
  const change = (part: Partial<Own>): void => {
    own.value = { ...own.value, ...part };
    problems.value = {};
  };
  const start = async (): Promise<void> => {
    const made = requestOf(formContent.value);
    const missing = ownProblems(own.value, data.value?.dataset);
    problems.value = missing;
    const [first] = Object.keys(missing);
    if ('problems' in made) markFields(made.problems);
    if (first !== undefined) document.getElementById(first)?.focus();
    const estimated = first === undefined ? requestBody(own.value, data.value?.dataset) : undefined;
    if (estimated === undefined || isStarting.value) return;
    const body = { ...estimated, max_cost_usd: Number(own.value.cap.trim()) };
    const text = JSON.stringify(body);
    if (sent.current.body !== text) sent.current = { body: text, idempotencyKey: crypto.randomUUID() };
    [isStarting.value, refusal.value] = [true, undefined];
    try {
      const { experiment_id: id } = await client().experiments.create(body, { idempotencyKey: sent.current.idempotencyKey });
      navigate(experimentPath(id));
    } catch (error) {
      if (!(error instanceof CompareError)) throw error;
      refusal.value = error;
      const field = fieldOfParam(error.param);
      if (field !== undefined) markFields([{ field, message: withFormLabels(error.message) }]);
    } finally {
      isStarting.value = false;
    }
  };
  const { prompt, checks } = formContent.value;
  const names = data.value?.names ?? [];
  const hint = names.length === 0 ? '{input} is replaced by the input of each row' : `${names.slice(0, 5).map((name) => `{${name}}`).join(', ')}: replaced for each row`;
  const hasExpected = data.value?.dataset.columns.includes('expected') === true && checks.length < MAX_CHECKS && checks.every(({ values }) => values !== '{expected}');
  return (
    <form class="compare-form new-experiment" aria-label="New experiment" noValidate onSubmit={(event) => { event.preventDefault(); void start(); }}>
      <p class="quiet">One prompt for every row of a file, on several models. Prompt, models, checks and options are those of the <a href="/">compare form</a>.</p>
      <DataField dataset={data.value?.dataset} problem={problems.value[FILE_ID]} onChange={(dataset, columns) => { data.value = dataset && { dataset, names: columns }; problems.value = {}; }} />
      <TextField field="prompt" label="Prompt" rows={3} placeholder="Every model receives this prompt" hint={prompt !== '' && names.length > 0 && !prompt.includes('{') ? 'the input of each row is added below the prompt' : hint} />
      <ModelPicker />
      <EvaluationFold />
      {hasExpected && <p class="examples"><span class="quiet">Try:</span><button type="button" class="chip" onClick={() => changeForm({ checks: [...checks, { type: 'contains', values: '{expected}' }] })}>the answer contains {'{expected}'}</button></p>}
      <OptionsFold hasCeiling={false} />
      <div class="experiment-limits">
        <OwnField id="experiment-name" label="Name" value={own.value.name} placeholder="none" onInput={(name) => change({ name })} />
        <OwnField id={LIMIT_ID} label="Rows" hint="drawn at random" isNumber value={own.value.limit} placeholder="all" problem={problems.value[LIMIT_ID]} onInput={(limit) => change({ limit })} />
        <OwnField id={CAP_ID} label="Cap, $" hint="never exceeded" isNumber value={own.value.cap} placeholder="such as 4" problem={problems.value[CAP_ID]} onInput={(cap) => change({ cap })} />
      </div>
      {refusal.value !== undefined && <Refusal error={refusal.value} />}
      <div class="run-area">
        <Estimate body={requestBody(own.value, data.value?.dataset)} cap={own.value.cap} />
        <button type="submit" class="button-primary" aria-disabled={isStarting.value}>{isStarting.value ? 'Starting …' : 'Start'}</button>
      </div>
    </form>
  );
}

function Refusal({ error }: { error: CompareError }) {
  const { kind, lines, wantsPayment } = refusalText(error);
  return <Banner kind={kind === 'warning' ? 'failure' : kind}>{lines.map((line) => <p key={line}>{line}</p>)}{wantsPayment && <a href="/usage">To the payment method</a>}</Banner>;
}

/** The problems of the fields that only this form has, by the ids of their elements. */
function ownProblems({ limit, cap }: Own, dataset: Dataset | undefined): Record<string, string> {
  return {
    ...(dataset === undefined && { [FILE_ID]: 'Choose a file and upload its rows first.' }),
    ...(limit.trim() !== '' && !/^[1-9]\d{0,6}$/.test(limit.trim()) && { [LIMIT_ID]: 'The number of rows must be a whole number, such as 300.' }),
    ...(!isAmount(cap) && { [CAP_ID]: 'Set a cap first: an amount in dollars, such as 4.' }),
  };
}

/** The body for an estimate; undefined while something is missing. The input comes from the rows, and the cap takes the place of a ceiling. */
function requestBody({ name, limit, cap }: Own, dataset: Dataset | undefined): ExperimentEstimateRequest | undefined {
  const made = requestOf({ ...formContent.value, input: '', maxCostUsd: '' });
  if (dataset === undefined || 'problems' in made || (limit.trim() !== '' && !/^\d+$/.test(limit.trim()))) return undefined;
  return {
    ...made.body, dataset: dataset.dataset_id, ...(name.trim() !== '' && { name: name.trim() }), ...(limit.trim() !== '' && { limit: Number(limit.trim()) }), ...(isAmount(cap) && { max_cost_usd: Number(cap.trim()) }),
  } as ExperimentEstimateRequest;
}

function isAmount(text: string): boolean {
  return DECIMAL.test(text.trim()) && Number(text) > 0;
}

/** The price of the experiment, asked for 400 ms after the last change. */
function Estimate({ body, cap }: { body: ExperimentEstimateRequest | undefined; cap: string }) {
  const state = useSignal<{ estimate?: ExperimentEstimate; problem?: string; isOld?: boolean }>({});
  const text = body === undefined ? '' : JSON.stringify({ ...body, name: undefined });
  useEffect(() => {
    if (text === '') {
      state.value = {};
      return undefined;
    }
    state.value = { ...state.value, isOld: true };
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const estimate = await client().experiments.estimate(JSON.parse(text) as ExperimentEstimateRequest, { signal: stop.signal });
        if (!stop.signal.aborted) state.value = { estimate };
      } catch (error) {
        if (!stop.signal.aborted) state.value = { problem: error instanceof CompareError ? withFormLabels(error.message) : 'The answer of the service could not be shown.' };
      }
    };
    const timer = setTimeout(() => void ask(), ESTIMATE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const { estimate, problem, isOld = false } = state.value;
  if (problem !== undefined) return <p class="estimate quiet">No estimate: {problem}</p>;
  if (estimate === undefined) return <p class="estimate quiet">{text === '' ? 'You see the price here once there are rows, a prompt and models.' : 'Estimating the price …'}</p>;
  const { rows, calls, likely_cost_usd: likely, most_cost_usd: most, most_charge_usd: charge, fits_cap: fits, detectable_difference: difference } = estimate;
  return (
    <>
      <p class="estimate" data-old={isOld} title={`At most $${charge} are charged`}>likely {shortAmount(likely)}, at most {shortAmount(most)}</p>
      <p class="quiet">{groupDigits(rows)} {rows === 1 ? 'row' : 'rows'}, {groupDigits(calls)} calls; at most {shortAmount(charge)} charged.{difference !== null && ` So many rows find differences of about ${percentText(difference)} and more.`}</p>
      {fits === false && isAmount(cap) && <p class="estimate-warning"><i aria-hidden="true">⚠</i> The cap may end this early: it pauses before a row that could exceed the cap.</p>}
    </>
  );
}
