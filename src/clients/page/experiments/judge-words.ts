import type { JudgeExamination, Judgment } from '../../client/client';
import { groupDigits, pluralize } from '../compare/limits';
import { type Interval, percentText, rangeText } from '../evaluation/numbers';

type People = NonNullable<Judgment['people']>;
type Rate = { rate: number; ci: Interval | null };
/** A row of a table: its name, its meaning, and the texts of its cells. */
export type JudgmentRow = readonly [name: string, meaning: string, texts: readonly (string | undefined)[]];
type Question = readonly [name: string, meaning: string, answer: (judge: JudgeExamination) => string | undefined];

const QUESTIONS: readonly Question[] = [
  ['Verdicts read', 'The others are missing.', (one) => countText(one.verdicts, one.verdicts + one.unreadable)],
  ['Both orders agree', 'A contradiction counts as a tie.', (one) => rateText(one.order_consistency)],
  ['Answer 1 won', 'Fair is near 50 %.', (one) => rateText(one.first_won)],
  ['The longer answer won', 'Far above 50 %, length may decide.', (one) => rateText(one.longer_won)],
  ['Decoys that it passed', 'Empty or forged.', (one) => countText(one.decoys_passed, one.decoys)],
  ['The same answer twice called equal', 'None is better.', (one) => countText(one.self_ties, one.self_pairs)],
  ['Agreement with people', 'κ is 0 for chance, 1 for full agreement.', agreementText],
  ['Judged models of its vendor', 'Points: how much higher it rates them.', vendorText],
];

/** The examination of judges in words, without questions that concern none of them. */
export function examinationRows(judges: readonly JudgeExamination[]): JudgmentRow[] {
  return QUESTIONS.map(([name, meaning, answer]) => [name, meaning, judges.map(answer)] as const).filter(
    ([, , texts]) => texts.some((text) => text !== undefined),
  );
}

/** The rates of each model by each source that has some. */
export function ratesOf({ win_rates: wins, without_own_vendor: others, people }: Judgment) {
  const columns = Object.entries({
    'Expected wins': wins,
    'Without own vendor': others ?? [],
    'By people': people?.ranking ?? [],
  }).filter(([, rates]) => rates.length > 0);
  const models = new Set(columns.flatMap(([, rates]) => rates.map(({ model }) => model)));
  const rows = Array.from(models, (name): JudgmentRow => {
    return [name, '', columns.map(([, rates]) => rateText(rates.find(({ model }) => model === name)))];
  });
  return { heads: columns.map(([head]) => head), rows };
}

/** The rates that votes correct. */
export function correctedRows(people: People): JudgmentRow[] {
  return people.corrected.map(({ models, as_if_labels: votes, ...rate }) => {
    return [models.join(' over '), `as exact as ${pluralize(votes, 'vote')}`, [rateText(rate)]];
  });
}

/** Such as "12 votes by 2 people." */
export function peopleText({ votes, voters, agreement: { kappa } }: People): string {
  const agreement = kappa === null ? '' : ` People agree with κ ${kappa.toFixed(2)}.`;
  return `${pluralize(votes, 'vote')} by ${voters === 1 ? '1 person' : `${voters} people`}.${agreement}`;
}

/** Such as "94 % (90 to 97 %)"; undefined where there is no rate. */
function rateText(rate: Rate | null | undefined): string | undefined {
  return rate ? rangedText(rate.rate, rate.ci, percentText) : undefined;
}

function rangedText(value: number, ci: Interval | null, text: (value: number) => string): string {
  return `${text(value)}${ci === null ? '' : ` (${rangeText(ci, text)})`}`;
}

function countText(count: number, of: number): string | undefined {
  return of === 0 ? undefined : `${groupDigits(count)} of ${groupDigits(of)}`;
}

function agreementText({ agreement: { with_people: people } }: JudgeExamination): string {
  if (people === null) return 'no votes yet';
  const { kappa, accuracy: rate, ci, labels } = people;
  return `${kappa === null ? '' : `κ ${kappa.toFixed(2)}, `}${rateText({ rate, ci })}, ${pluralize(labels, 'vote')}`;
}

function vendorText({ own_vendor: models, own_vendor_advantage: more }: JudgeExamination): string | undefined {
  const points = more && rangedText(more.difference, more.ci, (share) => String(Math.round(100 * share)));
  return models.length === 0 ? undefined : `${models.join(', ')}${points === null ? '' : `: ${points} points`}`;
}

/** The judge of a form; undefined while it is not complete. */
export function judgeOf(sees: string, criterion: string, model: string) {
  const kind: 'pairwise' | 'rubric' = sees === 'pairwise' ? sees : 'rubric';
  return criterion.trim() === '' || model === '' ? undefined : { kind, criterion, models: [model] };
}
