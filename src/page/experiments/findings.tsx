import type { ExperimentSummary } from '../../client/client';
import { DASH, money } from '../compare/figures';
import { ModelMark } from '../compare/model-mark';
import { markOf } from '../compare/model-marks';
import { intervalOf, percentText, rangeText, timeText } from '../evaluation/numbers';
import { Fold } from '../parts/fold';
import { placeText } from './words';

type Summary = { summary: ExperimentSummary };
type ModelSummary = ExperimentSummary['models'][number];
type Metric = ExperimentSummary['pairs'][number]['metric'];

const METRICS: Readonly<Record<Metric, string>> = { passed: 'Answers that pass all checks', score: 'Score of the answers', latency_ms: 'Latency', cost_usd: 'Cost' };

/** The models on one scale from 0 to 100 %: a dot for the figure, whiskers for its range. Places are said at the end only. */
export function Ranking({ summary: { ranking, models, final: isFinal } }: Summary) {
  if (ranking === null) return null;
  const { metric } = ranking;
  const names = models.map(({ model }) => model);
  return (
    <section class="finding" aria-label="Ranking">
      <h2>{METRICS[metric]}</h2>
      <ol class="ranking">
        {ranking.models.map(({ model, rank }) => {
          const figure = figureOf(models.find((each) => each.model === model), metric);
          return (
            <li key={model}>
              <span class="ranking-name"><ModelMark model={model} models={names} /> <bdi>{model}</bdi></span>
              <span class="ranking-place">{isFinal ? placeText(rank) : ''}</span>
              <Whiskers figure={figure} color={markOf(model, names).color} />
              <span class="number">{figure === undefined ? DASH : <>{percentText(figure.value)} <span class="quiet">{rangeText(figure.interval, percentText)}</span></>}</span>
            </li>
          );
        })}
      </ol>
      <p class="ranking-scale" aria-hidden="true"><span>0 %</span><span>50 %</span><span>100 %</span></p>
    </section>
  );
}

interface Estimated { value: number; interval: ReturnType<typeof intervalOf> }

function figureOf(model: ModelSummary | undefined, metric: 'passed' | 'score'): Estimated | undefined {
  if (metric === 'passed') return model?.passed ? { value: model.passed.rate, interval: intervalOf(model.passed.ci) } : undefined;
  return model?.score ? { value: model.score.mean, interval: intervalOf(model.score.ci) } : undefined;
}

function Whiskers({ figure, color }: { figure: Estimated | undefined; color: number }) {
  const at = (share: number) => `${Math.min(1, Math.max(0, share)) * 100}%`;
  return (
    <span class="whiskers" data-color={color} aria-hidden="true">
      {figure?.interval !== undefined && <span class="whisker" style={{ insetInlineStart: at(figure.interval[0]), inlineSize: at(figure.interval[1] - figure.interval[0]) }} />}
      {figure !== undefined && <span class="dot" style={{ insetInlineStart: at(figure.value) }} />}
    </span>
  );
}

/** The other figures of each model. */
export function ModelFigures({ summary: { models } }: Summary) {
  const names = models.map(({ model }) => model);
  return (
    <section class="finding" aria-label="Figures">
      <h2>Figures</h2>
      <div class="finding-scroller" role="region" aria-label="Figures of the models" tabIndex={0}>
        <table class="finding-table">
          <caption class="visually-hidden">Calls, latency and cost of each model</caption>
          <thead><tr>{['Model', 'Answered', 'Latency, median', 'Slowest tenth', 'Cost, mean', 'Cost, total', 'Tokens out, mean'].map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
          <tbody>{models.map((model) => (
            <tr key={model.model}>
              <th scope="row"><ModelMark model={model.model} models={names} /> <bdi>{model.model}</bdi></th>
              <td>{model.answered} of {model.answered + model.failed}</td>
              <td><Time value={model.latency_ms?.p50} ci={model.latency_ms?.p50_ci} /></td>
              <td><Time value={model.latency_ms?.p90} ci={model.latency_ms?.p90_ci} /></td>
              <td>{model.cost_usd === null ? DASH : <span title={money(model.cost_usd.mean).title}>{money(model.cost_usd.mean).text}</span>}</td>
              <td>{model.cost_usd === null ? DASH : <span title={money(model.cost_usd.total).title}>{money(model.cost_usd.total).text}</span>}</td>
              <td>{model.output_tokens === null ? DASH : Math.round(model.output_tokens.mean)}</td>
            </tr>
          ))}</tbody>
        </table>
      </div>
      <p class="finding-words">Ranges are for rows like these: of 20 such ranges, 19 contain the figure that all such rows would give.</p>
    </section>
  );
}

function Time({ value, ci }: { value: number | null | undefined; ci: unknown }) {
  if (value === null || value === undefined) return <>{DASH}</>;
  return <><span class="finding-value">{timeText(value)}</span><span class="finding-range">{rangeText(intervalOf(ci), timeText)}</span></>;
}

/** Every two models in words. What they are ranked by is open, the rest is folded. */
export function Pairs({ summary: { pairs, ranking, final: isFinal } }: Summary) {
  // Before the end nothing is tested, and the words say no more than the headline.
  if (!isFinal || pairs.length === 0) return null;
  const metrics = [...new Set(pairs.map(({ metric }) => metric))];
  const list = (metric: Metric) => <ul class="pairs">{pairs.filter((pair) => pair.metric === metric).map(({ words, models }) => <li key={models.join(' ')}>{words}</li>)}</ul>;
  return (
    <>
      {metrics.map((metric) => (metric === ranking?.metric
        ? <section key={metric} class="finding" aria-label="Pairs"><h2>Two at a time</h2>{list(metric)}</section>
        : <Fold key={metric} class="finding" summary={<h2>Two at a time: {METRICS[metric].toLowerCase()}</h2>}>{() => list(metric)}</Fold>))}
    </>
  );
}
