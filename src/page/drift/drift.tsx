import { useMemo } from 'preact/hooks';
import type { Eval } from '../../client/client';
import { differencesOf } from '../compare/differences';
import { DifferenceText } from '../compare/difference-text';
import { DASH, money } from '../compare/figures';
import { numberText, percentText, timeText } from '../evaluation/numbers';
import { FailedLoad } from '../parts/failed-load';
import { Fold } from '../parts/fold';
import { Skeleton } from '../parts/skeleton';
import { evalPath } from '../routes';
import { client } from '../session';
import { useLoaded } from '../use-loaded';
import { driftOf, relativeChange, type Change, type DriftView, type ModelChange } from './drifts';
import { signal } from '@preact/signals';

interface DriftProps {
  /** The later eval. */
  after: Eval;
  /** The id of the earlier eval; undefined for the original of a rerun. */
  against: string | undefined;
}

/** The changes from an earlier eval to this one, model by model. */
export function Drift({ after, against }: DriftProps) {
  const { state, retry } = useLoaded(async (signal) => {
    const drift = driftOf(await client().evals.drift(after.eval_id, { ...(against !== undefined && { against }) }, { signal }));
    return { drift, before: await client().evals.get(drift.against, { signal }) };
  }, [after.eval_id, against]);
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={4} />;
  // A wrong id stays wrong.
  if (loaded.kind === 'failed') return loaded.error.status === undefined || loaded.error.status >= 429 ? <FailedLoad error={loaded.error} onRetry={retry} /> : <p class="problem">{loaded.error.message}</p>;
  return <Changes drift={loaded.value.drift} before={loaded.value.before} after={after} />;
}

function Changes({ drift: { against, requestChanged, models, onlyBefore, onlyAfter }, before, after }: { drift: DriftView; before: Eval; after: Eval }) {
  const isSampled = after.results.length > after.models.length;
  return (
    <>
      <p>From <a href={evalPath(against)}>the earlier eval</a> to <a href={evalPath(after.eval_id)}>the later one</a>.</p>
      {requestChanged.length > 0 && <p class="drift-warning"><i aria-hidden="true">⚠</i> Their requests differ: {requestChanged.join(', ')}. This may explain the changes.</p>}
      <div class="finding-scroller" role="region" aria-label="What changed" tabIndex={0}>
        <table class="finding-table">
          <caption class="visually-hidden">What changed for each model</caption>
          <thead><tr>{['Model', 'Answers', 'Latency, median', 'Cost, mean', 'Tokens out, mean', 'Checks', 'Other changes'].map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
          <tbody>{models.map((model) => <Row key={model.model} change={model} />)}</tbody>
        </table>
      </div>
      <Luck models={models} />
      <OnlyIn words="Only in the earlier eval" models={onlyBefore} />
      <OnlyIn words="Only in the later eval" models={onlyAfter} />
      {models.filter(({ output }) => output === 'changed').map(({ model }) => (
        <Fold key={model} class="drift-words" summary={<>Changed text of {model}{isSampled && ' (first answer)'}</>}>{() => <Words before={outputOf(before, model)} after={outputOf(after, model)} />}</Fold>
      ))}
    </>
  );
}

const OUTPUTS = { same: '✓ the same text', equivalent: '✓ equivalent', changed: '≠ changed' } as const;

function Row({ change: { model, output, similarity, latency, cost, outputTokens, improved, regressed, settings } }: { change: ModelChange }) {
  return (
    <tr>
      <th scope="row">{model}</th>
      <td><span class="finding-value" data-output={output}>{output === undefined ? DASH : OUTPUTS[output]}</span>{output === 'changed' && similarity !== undefined && <span class="finding-range">{percentText(similarity)} similar</span>}</td>
      <td><ChangeText change={latency} text={timeText} /></td>
      <td><CostText {...cost} /></td>
      <td><ChangeText change={outputTokens} text={numberText} /></td>
      <td>{improved.length + regressed.length === 0 ? DASH : <>{regressed.map((name) => <span key={name} class="finding-value badge-failed">✗ worse: {name}</span>)}{improved.map((name) => <span key={name} class="finding-value badge-passed">✓ better: {name}</span>)}</>}</td>
      <td>{settings.length === 0 ? DASH : settings.map((words) => <span key={words} class="finding-value">{words}</span>)}</td>
    </tr>
  );
}

function ChangeText({ change, text }: { change: Change; text: (value: number) => string }) {
  const { before, after } = change;
  if (before === undefined && after === undefined) return <>{DASH}</>;
  const [from, to] = [before, after].map((value) => (value === undefined ? DASH : text(value)));
  const relative = relativeChange(change);
  return (
    <>
      <span class="finding-value">{from} → {to}</span>
      {relative !== undefined && <span class="finding-range">{relative}</span>}
    </>
  );
}

function CostText({ before, after }: ModelChange['cost']) {
  if (before === undefined && after === undefined) return <>{DASH}</>;
  const [from, to] = [money(before), money(after)];
  const relative = relativeChange({ before: Number(before), after: Number(after) });
  return (
    <>
      <span class="finding-value" title={`${from.title ?? ''} → ${to.title ?? ''}`}>{from.text} → {to.text}</span>
      {before !== undefined && after !== undefined && relative !== undefined && <span class="finding-range">{relative}</span>}
    </>
  );
}

/** The service's own sentences, each once with the models that it is about. */
function Luck({ models }: Pick<DriftView, 'models'>) {
  const sentences = [...new Set(models.map(({ because }) => because).filter((words) => words !== ''))];
  return <>{sentences.map((words) => <p key={words} class="finding-words">{sentences.length > 1 && `${models.filter(({ because }) => because === words).map(({ model }) => model).join(', ')}: `}{words}</p>)}</>;
}

function OnlyIn({ words, models }: { words: string; models: readonly string[] }) {
  return models.length === 0 ? null : <p class="finding-words">{words} {models.join(', ')}.</p>;
}

function Words({ before, after }: { before: string; after: string }) {
  const found = useMemo(() => differencesOf(before, after), [before, after]);
  return <div class="answer-body"><DifferenceText view={{ pair: { base: 0, other: 1 }, found, current: signal(undefined) }} text={after} /></div>;
}

/** The first answer of a model. */
function outputOf({ results }: Eval, model: string): string {
  return results.find((result) => result.model === model && result.error === undefined)?.output ?? '';
}
