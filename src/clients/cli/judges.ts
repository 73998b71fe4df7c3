import type { ExperimentSummary, JudgeExamination } from '../client/client';
import { inBrackets, percent } from './statistics';
import type { Table } from './table';
import { pluralize } from './text';

type Share = { rate: number; ci: readonly number[] | null };

/** Sentences: cautions about the verdicts of judges, and the headlines of judges of these answers. */
export function judgeWords({ headline: said, judgment, judged_by: judged }: ExperimentSummary): string[] {
  return [
    // The gravest is in the headline.
    ...(judgment?.cautions.filter((caution) => !said.includes(caution)).map((caution) => `! ${caution}`) ?? []),
    ...judged.map(
      ({ experiment_id: id, name, models, state, headline }) =>
        `Judged by ${models.join(', ')} (${name ?? id}): ${headline ?? `${state}; mcs experiment ${id} shows it.`}`,
    ),
  ];
}

/** For people: the examination of each judge. */
export function judgesTable(judges: readonly JudgeExamination[]): Table {
  return {
    head: ['judge', 'unreadable', 'orders agree', 'first won', 'longer won', 'decoys passed', 'agrees with people'],
    lines: judges.map((judge) => [
      judge.model,
      `${judge.unreadable} of ${judge.verdicts + judge.unreadable}`,
      shareText(judge.order_consistency),
      shareText(judge.first_won),
      shareText(judge.longer_won),
      `${judge.decoys_passed} of ${judge.decoys}`,
      peopleText(judge),
    ]),
    flexible: 0,
    optional: [2, 4, 3, 1, 5],
  };
}

/** The rates that are corrected by votes, if there are any. */
export function correctedWords({ judgment }: ExperimentSummary): string[] {
  return (judgment?.people?.corrected ?? []).map(
    ({ models, labels, as_if_labels: alike, ...share }) =>
      `Corrected by ${pluralize(labels, 'vote')}, ${models.join(' against ')}: ${shareText(share)}, as exact as ${pluralize(alike, 'vote')} alone.`,
  );
}

function shareText(share: Share | null): string {
  return share === null ? '-' : `${percent(share.rate)} ${inBrackets(share.ci, percent)}`;
}

function peopleText({ agreement: { with_people: people } }: JudgeExamination): string {
  return people === null ? '-' : `${percent(people.accuracy)} of ${pluralize(people.labels, 'vote')}`;
}
