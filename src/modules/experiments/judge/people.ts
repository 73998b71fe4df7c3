import { correctedRate } from '../../statistics/corrected-rate';
import { cohensKappa } from '../../statistics/kappa';
import { mean } from '../../statistics/mean';
import { roundedInterval, sixDigits } from '../../statistics/rounding';
import type { CorrectedRateDto, PeopleDto } from './judge-summary.dto';
import { itemsOf, type JudgeSpec, type CountedVote } from './judge-spec';
import type { JudgmentTask } from './judgment-task';
import { ratesOf } from './outcomes';

/** A vote for the first model of an item, from 0 to 1; where neither is good, none is better. */
const SCORES = { '1': 1, '2': 0, tie: 0.5, none: 0.5, yes: 1, no: 0 } as const;

/** The mean vote on each item that was drawn at random, by the item's index. */
export function labelsOf(spec: JudgeSpec, votes: readonly CountedVote[]): Map<number, number> {
  const byItem = Map.groupBy(
    votes.filter(({ isRandom }) => isRandom),
    (vote) => indexOf(spec, vote),
  );
  return new Map([...byItem].map(([index, own]) => [index, mean(own.map(({ winner }) => SCORES[winner]))]));
}

/** The figures of votes; null without one. `panel` are the outcomes by all judges. */
export function peopleOf(
  { spec, votes, columns: { clusters, groupCount } }: JudgmentTask,
  panel: Float64Array,
  labels: ReadonlyMap<number, number>,
): PeopleDto | null {
  if (votes.length === 0) return null;
  const twice = [...Map.groupBy(votes, (vote) => indexOf(spec, vote)).values()].filter(({ length }) => length > 1);
  const scores = twice.map((own) => own.map(({ winner }) => SCORES[winner]));
  const kappa = cohensKappa(scores.map(([one = NaN, other = NaN]) => [one, other]));
  return {
    votes: votes.length,
    voters: new Set(votes.map(({ voter }) => voter)).size,
    ranking: ratesOf(
      spec,
      votes.map(({ rowNo, itemNo, winner }) => ({ rowNo, itemNo, outcome: SCORES[winner] })),
      clusters,
    ),
    agreement: { kappa: kappa === null ? null : sixDigits(kappa), voted_twice: twice.length },
    // Rows of a group are alike, which the correction does not allow for.
    corrected:
      groupCount > 0 ? [] : itemsOf(spec).flatMap((_, item) => correctedOf(spec, item, { panel, labels }) ?? []),
  };
}

/** The rate of an item's first model by all verdicts, corrected by the votes; null with too few. */
function correctedOf(
  spec: JudgeSpec,
  item: number,
  { panel, labels }: { panel: Float64Array; labels: ReadonlyMap<number, number> },
): CorrectedRateDto | null {
  const items = itemsOf(spec);
  const own = Array.from(panel, (judge, index) => ({ judge, index, people: labels.get(index) })).filter(
    ({ judge, index }) => index % items.length === item && !Number.isNaN(judge),
  );
  const labeled = own.flatMap(({ judge, people }) => (people === undefined ? [] : [{ judge, people }]));
  const others = own.flatMap(({ judge, people }) => (people === undefined ? [judge] : []));
  const found = correctedRate(labeled, others);
  return (
    found && {
      models: (items[item] ?? []).map((index) => spec.judged[index] ?? ''),
      rate: sixDigits(found.rate),
      ci: roundedInterval(found.interval),
      labels: labeled.length,
      as_if_labels: found.asIfLabels,
    }
  );
}

function indexOf(spec: JudgeSpec, { rowNo, itemNo }: Pick<CountedVote, 'rowNo' | 'itemNo'>): number {
  return rowNo * itemsOf(spec).length + itemNo;
}
