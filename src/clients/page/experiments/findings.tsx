import type { ExperimentSummary } from '../../client/client';
import { timeText } from '../../client/time-text';
import { DASH, money } from '../compare/answers/figures';
import { markOf, ModelName } from '../compare/models/model-mark';
import { type Interval, percentText, rangeText } from '../evaluation/numbers';
import { Fold } from '../parts/fold';
import { FindingTable } from '../parts/scroller';
import { Banner } from '../parts/notices';
import { byPlace, placeText } from './words';

type ModelSummary = ExperimentSummary['models'][number];
type Pair = ExperimentSummary['pairs'][number];

const METRICS: Readonly<Record<Pair['metric'], string>> = {
  passed: 'Answers that pass all checks',
  score: 'Score of the answers',
  latency_ms: 'Latency',
  cost_usd: 'Cost',
};

/** The pairs of more models are folded: there are too many. */
const MAX_OPEN = 4;

/**
 * The result in words, why it may mislead, and the figures; nothing before a row has ended. Before the end nothing is
 * tested, so there are neither places nor pairs.
 */
export function ExperimentFindings({
  summary: { headline, warnings, rows, models, pairs, ranking, final: isFinal },
}: {
  summary: ExperimentSummary;
}) {
  if (rows === 0) return null;
  const metrics = isFinal ? [...new Set(pairs.map(({ metric }) => metric))] : [];
  return (
    <>
      <p class="experiment-headline" data-final={isFinal}>
        {headline}
      </p>
      {warnings.length > 0 && (
        <Banner kind="warning">
          <ul class="experiment-list">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Banner>
      )}
      {ranking !== null && <Ranking ranking={ranking} models={models} isFinal={isFinal} />}
      <Figures models={models} ranking={ranking} />
      {/* With two models the headline says it. */}
      {metrics
        .filter((metric) => models.length > 2 || metric !== ranking?.metric)
        .map((metric) =>
          metric === ranking?.metric && models.length <= MAX_OPEN ? (
            <section key={metric} class="finding" aria-label="Pairs">
              <h2>Pair by pair</h2>
              <Pairs pairs={pairs} metric={metric} />
            </section>
          ) : (
            <Fold key={metric} class="finding" summary={<h2>Pair by pair: {METRICS[metric].toLowerCase()}</h2>}>
              {() => <Pairs pairs={pairs} metric={metric} />}
            </Fold>
          ),
        )}
    </>
  );
}

/** The models on one scale from 0 to 100 %: a dot for the figure, whiskers for its range. */
function Ranking({
  ranking: { metric, models: ranked },
  models,
  isFinal,
}: {
  ranking: NonNullable<ExperimentSummary['ranking']>;
  models: readonly ModelSummary[];
  isFinal: boolean;
}) {
  const names = models.map(({ model }) => model);
  return (
    <section class="finding" aria-label="Ranking">
      <h2>{METRICS[metric]}</h2>
      <ol class="ranking">
        {ranked.map(({ model, rank }) => {
          const figure = figureOf(
            models.find((each) => each.model === model),
            metric,
          );
          return (
            <li key={model}>
              <span class="ranking-name">
                <ModelName model={model} models={names} />
              </span>
              <strong class="ranking-place">{isFinal && figure && placeText(rank)}</strong>
              <Whiskers figure={figure} color={markOf(model, names).color} />
              <span class="number">
                {figure ? (
                  <>
                    {percentText(figure.value)} <span class="quiet">{rangeText(figure.ci, percentText)}</span>
                  </>
                ) : (
                  DASH
                )}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Whiskers({ figure, color }: { figure: Figure; color: ReturnType<typeof markOf>['color'] }) {
  return (
    <span class="whiskers" data-color={color} aria-hidden="true">
      {figure?.ci && (
        <span
          class="whisker"
          style={{
            insetInlineStart: `${figure.ci[0] * 100}%`,
            inlineSize: `${(figure.ci[1] - figure.ci[0]) * 100}%`,
          }}
        />
      )}
      {figure && <span class="dot" style={{ insetInlineStart: `${figure.value * 100}%` }} />}
    </span>
  );
}

type Figure = { value: number; ci: Interval | null } | null | undefined;

function figureOf(model: ModelSummary | undefined, metric: 'passed' | 'score'): Figure {
  if (metric === 'passed') return model?.passed && { value: model.passed.rate, ci: model.passed.ci };
  return model?.score && { value: model.score.mean, ci: model.score.ci };
}

function Figures({ models, ranking }: { models: readonly ModelSummary[]; ranking: ExperimentSummary['ranking'] }) {
  const names = models.map(({ model }) => model);
  return (
    <section class="finding" aria-label="Figures">
      <h2>Figures</h2>
      <FindingTable
        label="Figures of the models"
        heads={['Model', 'Answered', 'Latency, median', 'Cost, mean', 'Tokens out, mean']}
      >
        {byPlace(models, ranking, ({ model }) => model).map(
          ({ model, answered, failed, latency_ms: latency, cost_usd: cost, output_tokens: tokens }) => (
            <tr key={model}>
              <th scope="row">
                <ModelName model={model} models={names} />
              </th>
              <td>
                {answered} of {answered + failed}
              </td>
              <td>
                {typeof latency?.p50 === 'number' ? (
                  <>
                    <span class="finding-value">{timeText(latency.p50)}</span>
                    <span class="finding-range">{rangeText(latency.p50_ci, timeText)}</span>
                  </>
                ) : (
                  DASH
                )}
              </td>
              <td title={money(cost?.mean).title}>{cost === null ? DASH : money(cost.mean).text}</td>
              <td>{tokens === null ? DASH : Math.round(tokens.mean)}</td>
            </tr>
          ),
        )}
      </FindingTable>
      <p class="finding-words">
        Ranges are for rows like these: of 20 such ranges, 19 contain the figure that all such rows would give.
      </p>
    </section>
  );
}

function Pairs({ pairs, metric }: { pairs: readonly Pair[]; metric: Pair['metric'] }) {
  return (
    <ul class="experiment-list">
      {pairs
        .filter((pair) => pair.metric === metric)
        .map(({ words, models }) => (
          <li key={models.join(' ')}>{words}</li>
        ))}
    </ul>
  );
}
