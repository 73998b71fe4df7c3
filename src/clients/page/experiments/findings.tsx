import type { ExperimentSummary } from '../../client/client';
import { rankText } from '../../client/experiment-text';
import { timeText } from '../../client/time-text';
import { DASH, money } from '../compare/answers/figures';
import { ModelName } from '../compare/models/model-mark';
import { type Interval, percentText, rangeText } from '../evaluation/numbers';
import { Fold } from '../parts/fold';
import { FindingTable } from '../parts/scroller';
import { Banner } from '../parts/notices';
import { JudgmentTables } from './judgment';
import { DecisionPicture } from './picture';
import { byPlace, perThousandText } from './words';

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
  summary,
  decision,
}: {
  summary: ExperimentSummary | undefined;
  decision: { model: string } | null;
}) {
  if (summary === undefined) return null;
  const { judgment, rows } = summary;
  const warnings = [...(judgment?.cautions ?? []), ...summary.warnings];
  const taken = decision?.model ?? summary.recommendation?.model;
  if (rows === 0) return null;
  return (
    <>
      {warnings.length > 0 && (
        <Banner kind="warning">
          <ul class="experiment-list">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Banner>
      )}
      <Figures summary={summary} taken={taken} />
      {judgment && <JudgmentTables judgment={judgment} />}
    </>
  );
}

/** The picture and its figures, by place. */
function Figures({ summary, taken }: { summary: ExperimentSummary; taken: string | null | undefined }) {
  const { models, ranking, final: isFinal } = summary;
  const names = models.map(({ model }) => model);
  const ranks = new Map(ranking?.models.map(({ model, rank }) => [model, rank]));
  return (
    <section class="finding" aria-label="Figures">
      <h2>{ranking === null ? 'Figures' : METRICS[ranking.metric]}</h2>
      <DecisionPicture summary={summary} taken={taken} />
      <FindingTable
        label="Figures of the models"
        heads={[
          'Model',
          'Place',
          ranking?.metric === 'score' ? 'Score' : 'Passed',
          '1,000 passed cost',
          'A call costs',
          'Latency, median',
          'Answered',
        ]}
      >
        {byPlace(models, ranking, ({ model }) => model).map((one) => (
          <FiguresRow key={one.model} figures={one} names={names} rank={isFinal ? ranks.get(one.model) : undefined} />
        ))}
      </FindingTable>
      <p class="finding-words">
        Ranges are for rows like these: of 20 such ranges, 19 contain the figure that all such rows would give.
      </p>
    </section>
  );
}

interface FiguresRowProps {
  figures: ModelSummary;
  names: readonly string[];
  rank: { best: number; worst: number } | undefined;
}

function FiguresRow({ figures, names, rank }: FiguresRowProps) {
  const { model, answered, failed, latency_ms: latency, cost_usd: cost, cost_per_passed: perPassed } = figures;
  const figure = figureOf(figures);
  return (
    <tr>
      <th scope="row">
        <ModelName model={model} models={names} />
      </th>
      <td>{rank === undefined ? DASH : rankText(rank)}</td>
      <Ranged value={figure?.value} ends={figure?.ci} text={percentText} />
      <Ranged value={perPassed?.usd} ends={perPassed?.ci} text={perThousandText} />
      <td title={money(cost?.mean).title}>{cost === null ? DASH : money(cost.mean).text}</td>
      <Ranged value={latency?.p50} ends={latency?.p50_ci} text={timeText} />
      <td>
        {answered} of {answered + failed}
      </td>
    </tr>
  );
}

interface RangedProps {
  value: number | null | undefined;
  ends: Interval | null | undefined;
  text: (value: number) => string;
}

/** A figure and its range in a cell. */
function Ranged({ value, ends, text }: RangedProps) {
  if (typeof value !== 'number') return <td>{DASH}</td>;
  return (
    <td>
      <span class="finding-value">{text(value)}</span>
      <span class="finding-range">{rangeText(ends, text)}</span>
    </td>
  );
}

function figureOf({ passed, score }: ModelSummary): { value: number; ci: Interval | null } | null {
  if (passed !== null) return { value: passed.rate, ci: passed.ci };
  return score && { value: score.mean, ci: score.ci };
}

/** Every two models, once something is tested. */
export function Pairs({ summary }: { summary: ExperimentSummary | undefined }) {
  if (summary === undefined) return null;
  const { pairs, models, ranking, final: isFinal } = summary;
  const metrics = isFinal ? [...new Set(pairs.map(({ metric }) => metric))] : [];
  return (
    <>
      {/* With two models the headline says it. */}
      {metrics
        .filter((metric) => models.length > 2 || metric !== ranking?.metric)
        .map((metric) =>
          metric === ranking?.metric && models.length <= MAX_OPEN ? (
            <section key={metric} class="finding" aria-label="Pairs">
              <h2>Pair by pair</h2>
              <PairList pairs={pairs} metric={metric} />
            </section>
          ) : (
            <Fold key={metric} class="finding" summary={<h2>Pair by pair: {METRICS[metric].toLowerCase()}</h2>}>
              {() => <PairList pairs={pairs} metric={metric} />}
            </Fold>
          ),
        )}
    </>
  );
}

function PairList({ pairs, metric }: { pairs: readonly Pair[]; metric: Pair['metric'] }) {
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
