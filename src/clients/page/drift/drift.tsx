import { signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Drift as DriftAnswer, Eval } from '../../client/client';
import { answeredByText } from '../../client/drift-text';
import { timeText } from '../../client/time-text';
import { DASH, money } from '../compare/answers/figures';
import { DifferenceText } from '../compare/differences/difference-view';
import { differencesOf } from '../compare/differences/differences';
import { numberText, percentText } from '../evaluation/numbers';
import { Fold } from '../parts/fold';
import { Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { FindingTable } from '../parts/scroller';
import { useLoaded } from '../requests';
import { evalPath } from '../routes';
import { client } from '../session';

// Running again and comparing are one chunk.
export { RerunDialog } from './rerun-dialog';

/** The changes of one model. */
type ModelDrift = DriftAnswer['models'][number];

/** Asks with which earlier eval to compare, and shows what has changed since. */
export function EarlierEval({ stored }: { stored: Eval }) {
  const id = useSignal('');
  const asked = useSignal<{ against: string | undefined } | undefined>(undefined);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    // A pasted address works as well.
    const against = id.value.trim().split('/').at(-1) ?? '';
    asked.value = { against: against === '' ? undefined : against };
  };
  return (
    <>
      <form class="earlier-eval" onSubmit={onSubmit}>
        <label for="earlier-eval">Earlier eval</label>
        <input
          id="earlier-eval"
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder="the eval that this one repeated"
          value={id.value}
          onInput={(event) => {
            id.value = event.currentTarget.value;
          }}
        />
        <button type="submit">Show what changed</button>
      </form>
      {asked.value !== undefined && <Drift key={asked.value.against} after={stored} against={asked.value.against} />}
    </>
  );
}

interface DriftProps {
  /** The later eval. */
  after: Eval;
  /** The id of the earlier eval; undefined for the original of a rerun. */
  against: string | undefined;
}

/** The changes from an earlier eval to this one, model by model. */
export function Drift({ after, against }: DriftProps) {
  const { state, retry } = useLoaded(
    async (signal) => {
      const drift = await client().evals.drift(
        after.eval_id,
        { ...(against !== undefined && { against }) },
        { signal },
      );
      return { drift, before: await client().evals.get(drift.against, { signal }) };
    },
    [after.eval_id, against],
  );
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={4} />;
  // A wrong id stays wrong.
  if (loaded.kind === 'failed')
    return loaded.error.status === undefined || loaded.error.status >= 429 ? (
      <FailedLoad error={loaded.error} onRetry={retry} />
    ) : (
      <p class="problem">{loaded.error.message}</p>
    );
  return <Changes drift={loaded.value.drift} before={loaded.value.before} after={after} />;
}

const HEADS = ['Model', 'Answers', 'Latency, median', 'Cost, mean', 'Tokens out, mean', 'Checks', 'Other changes'];

function Changes({
  drift: { against, request_changed: requestChanged, models, only_before: onlyBefore, only_after: onlyAfter },
  before,
  after,
}: {
  drift: DriftAnswer;
  before: Eval;
  after: Eval;
}) {
  const isSampled = after.results.length > after.models.length;
  return (
    <>
      <p>
        From <a href={evalPath(against)}>the earlier eval</a> to <a href={evalPath(after.eval_id)}>the later one</a>.
      </p>
      {requestChanged.length > 0 && (
        <p class="drift-warning">
          <i aria-hidden="true">⚠</i> Their requests differ: {requestChanged.join(', ')}. This may explain the changes.
        </p>
      )}
      <FindingTable label="What changed" caption="What changed for each model" heads={HEADS}>
        {models.map((model) => (
          <Row key={model.model} model={model} />
        ))}
      </FindingTable>
      <Luck models={models} />
      <OnlyIn words="Only in the earlier eval" models={onlyBefore} />
      <OnlyIn words="Only in the later eval" models={onlyAfter} />
      {models
        .filter(({ output }) => output === 'changed')
        .map(({ model }) => (
          <Fold
            key={model}
            class="drift-words"
            summary={
              <>
                Changed text of {model}
                {isSampled && ' (first answer)'}
              </>
            }
          >
            {() => <Words before={outputOf(before, model)} after={outputOf(after, model)} />}
          </Fold>
        ))}
    </>
  );
}

const OUTPUTS = { same: '= the same text', equivalent: '= equivalent', changed: '≠ changed' } as const;

function Row({ model }: { model: ModelDrift }) {
  const { output, similarity, latency_ms: latency, cost_usd: cost, output_tokens: tokens, checks } = model;
  const settings = settingsOf(model);
  return (
    <tr>
      <th scope="row">{model.model}</th>
      <td>
        <span class="finding-value" data-output={output}>
          {output === null ? DASH : OUTPUTS[output]}
        </span>
        {output === 'changed' && similarity !== null && (
          <span class="finding-range">{percentText(similarity)} similar</span>
        )}
      </td>
      <td>
        <ChangeText change={latency} text={timeText} />
      </td>
      <td>
        <CostText {...cost} />
      </td>
      <td>
        <ChangeText change={tokens} text={numberText} />
      </td>
      <td>
        <CheckChanges checks={checks} />
      </td>
      <td>
        {settings.length === 0
          ? DASH
          : settings.map((words) => (
              <span key={words} class="finding-value">
                {words}
              </span>
            ))}
      </td>
    </tr>
  );
}

function CheckChanges({ checks }: Pick<ModelDrift, 'checks'>) {
  const { improved, regressed } = checks ?? { improved: [], regressed: [] };
  if (improved.length + regressed.length === 0) return <>{DASH}</>;
  return (
    <>
      {regressed.map((name) => (
        <span key={name} class="finding-value badge-failed">
          ✗ passes less often: {name}
        </span>
      ))}
      {improved.map((name) => (
        <span key={name} class="finding-value badge-passed">
          ✓ passes more often: {name}
        </span>
      ))}
    </>
  );
}

function ChangeText({
  change: { before, after },
  text,
}: {
  change: ModelDrift['latency_ms'];
  text: (value: number) => string;
}) {
  if (before === null && after === null) return <>{DASH}</>;
  const [from, to] = [before, after].map((value) => (value === null ? DASH : text(value)));
  return (
    <>
      <span class="finding-value">
        {from} → {to}
      </span>
      <Relative before={before} after={after} />
    </>
  );
}

function CostText({ before, after }: ModelDrift['cost_usd']) {
  if (before === null && after === null) return <>{DASH}</>;
  const [from, to] = [money(before), money(after)];
  return (
    <>
      <span class="finding-value" title={`${from.title ?? ''} → ${to.title ?? ''}`}>
        {from.text} → {to.text}
      </span>
      <Relative before={toNumber(before)} after={toNumber(after)} />
    </>
  );
}

function toNumber(exact: string | null): number | null {
  return exact === null ? null : Number(exact);
}

function Relative({ before, after }: { before: number | null; after: number | null }) {
  const text = relativeChange(before, after);
  return text === undefined ? null : <span class="finding-range">{text}</span>;
}

/** The service's own sentences, each once with the models that it is about. */
function Luck({ models }: Pick<DriftAnswer, 'models'>) {
  const sentences = [...new Set(models.map(({ because }) => because).filter((words) => words !== ''))];
  return (
    <>
      {sentences.map((words) => (
        <p key={words} class="finding-words">
          {sentences.length > 1 &&
            `${models
              .filter(({ because }) => because === words)
              .map(({ model }) => model)
              .join(', ')}: `}
          {words}
        </p>
      ))}
    </>
  );
}

function OnlyIn({ words, models }: { words: string; models: readonly string[] }) {
  return models.length === 0 ? null : (
    <p class="finding-words">
      {words} {models.join(', ')}.
    </p>
  );
}

function Words({ before, after }: { before: string; after: string }) {
  const found = useMemo(() => differencesOf(before, after), [before, after]);
  return (
    <div class="answer-body">
      <DifferenceText view={{ pair: { base: 0, other: 1 }, found, current: signal(undefined) }} text={after} />
    </div>
  );
}

/** The first answer of a model. */
function outputOf({ results }: Eval, model: string): string {
  return results.find((result) => result.model === model && result.error === undefined)?.output ?? '';
}

/** How much more, such as "+12 %"; undefined where there is nothing to relate to. */
export function relativeChange(before: number | null, after: number | null): string | undefined {
  if (before === null || after === null || before === 0) return undefined;
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? '±0 %' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

/** The changed settings, in words. */
export function settingsOf({
  vendor_model: vendor,
  answered_by: names,
  applied,
  prices,
}: Pick<ModelDrift, 'vendor_model' | 'answered_by' | 'applied' | 'prices'>): string[] {
  return [
    ...(vendor.changed ? [`the vendor’s model is now ${vendor.after}, was ${vendor.before}`] : []),
    ...(names.changed ? [answeredByText(names)] : []),
    ...(applied.changed ? ['other parameters were sent'] : []),
    ...(prices.changed ? ['the prices changed'] : []),
  ];
}
