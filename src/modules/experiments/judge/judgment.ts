import { mean } from '../../statistics/mean';
import { summarize } from '../summary/summary';
import type { ExperimentFiguresDto } from '../summary/summary.dto';
import { inPercent, inPoints } from '../summary/words';
import { examineJudge, type Examined } from './examination';
import { MAX_JUDGED_CHARACTERS } from './judge-prompt';
import type { JudgeExaminationDto, JudgmentDto } from './judge-summary.dto';
import type { JudgmentTask } from './judgment-task';
import { duelColumns, judgedColumns, listed, outcomesOf, panelOf, ratesOf } from './outcomes';
import { labelsOf, peopleOf } from './people';

/** Below this agreement with people, the headline says it. */
const MIN_KAPPA = 0.4;
const MIN_LABELS = 20;
const MIN_PANEL = 3;
/** Answers whose lengths differ by less are equally long. */
const EQUAL_LENGTH = 0.1;
const MIN_EQUAL_ROWS = 20;

/** Summarizes an experiment of judges: the figures of the judged models by its verdicts, and what these are worth. */
export function summarizeJudgment(task: JudgmentTask): ExperimentFiguresDto {
  const { spec, columns, vendors } = task;
  const judges = task.judges.map((judge): Examined => ({
    ...judge,
    outcomes: outcomesOf(spec, judge.scores, columns.rowCount),
  }));
  const panel = panelOf(spec, judges);
  const labels = labelsOf(spec, task.votes);
  const examinations = judges.map((judge) => examineJudge(judge, judges, task, labels));
  const neutral = judges.filter(({ vendor }) => !vendors.includes(vendor));
  const rates = (outcomes: Float64Array) => ratesOf(spec, listed(spec, outcomes), columns.clusters);
  const figures = summarize({ ...task, columns: judgedColumns(columns, spec, panel) });
  const people = peopleOf(task, panel, labels);
  const length = lengthCaution(task, panel, examinations, leadOf(figures));
  const cautions = task.isFinal ? cautionsOf(examinations, length, people) : [];
  const judgment: JudgmentDto = {
    of: spec.of,
    kind: spec.kind,
    cautions,
    win_rates: spec.kind === 'pairwise' ? rates(panel) : [],
    without_own_vendor: neutral.length === 0 || neutral.length === judges.length ? null : rates(panelOf(spec, neutral)),
    judges: examinations,
    people,
  };
  return {
    ...figures,
    judgment,
    headline: [figures.headline, ...cautions.slice(0, 1)].join(' '),
    warnings: [...figures.warnings, ...cutWarning(task)],
  };
}

/** Why verdicts may mislead, the gravest first. */
function cautionsOf(
  judges: readonly JudgeExaminationDto[],
  length: readonly string[],
  people: JudgmentDto['people'],
): string[] {
  const of = (name: (judge: JudgeExaminationDto) => string | undefined) => judges.flatMap((judge) => name(judge) ?? []);
  const labels = Math.max(0, ...judges.map(({ agreement }) => agreement.with_people?.labels ?? 0));
  return [
    ...of(({ model, gullible, decoys_passed: passed, decoys }) =>
      gullible ? `${model} cannot be believed: it passed ${passed} of ${decoys} decoys.` : undefined,
    ),
    ...of(({ model, position_biased: isBiased, first_won: won }) =>
      isBiased && won !== null
        ? `${model} judges by position: answer 1 won ${inPercent(won.rate)} of its decided verdicts.`
        : undefined,
    ),
    ...(labels < MIN_LABELS
      ? [
          `${labels === 0 ? 'No person has' : 'Too few votes have'} checked these verdicts: ${MIN_LABELS} votes on the page do.`,
        ]
      : []),
    ...of(({ model, agreement: { with_people: people } }) =>
      people !== null && people.labels >= MIN_LABELS && (people.kappa ?? 0) < MIN_KAPPA
        ? `${model} hardly agrees with people: kappa is ${people.kappa?.toFixed(2) ?? 'unknown'} on ${people.labels} votes.`
        : undefined,
    ),
    ...length,
    ...(people !== null && people.voters < MIN_PANEL
      ? [`${people.voters === 1 ? 'One voter is' : 'Two voters are'} not a panel.`]
      : []),
  ];
}

/** Says if the best model leads by less, or by how much is not known, where answers are equally long. */
function lengthCaution(
  task: JudgmentTask,
  panel: Float64Array,
  judges: readonly JudgeExaminationDto[],
  lead: Lead | undefined,
): string[] {
  if (lead === undefined) return [];
  const equal = leadsAtEqualLength(task, panel, lead);
  const found = mean(equal);
  if (equal.length >= MIN_EQUAL_ROWS)
    return found < lead.low
      ? [
          `Where answers are equally long, ${lead.best} leads by ${inPoints(found)} points, not by ${inPoints(lead.size)}.`,
        ]
      : [];
  const longer = judges.flatMap(({ longer_won: won }) => (won?.ci && won.ci[0] > 0.5 ? [won.rate] : []))[0];
  if (longer === undefined) return [];
  return [
    `The longer answer won ${inPercent(longer)} of the time, and too few are equally long to say if that is why ${lead.best} leads.`,
  ];
}

/** The lead of the best model over the next one, and its lower end. */
interface Lead {
  best: string;
  next: string;
  size: number;
  low: number;
}

/** Undefined if luck may explain the lead. */
function leadOf({ ranking, pairs }: ExperimentFiguresDto): Lead | undefined {
  const [best, next] = (ranking?.models ?? []).map(({ model }) => model);
  const pair = pairs.find(
    ({ metric, models, verdict }) =>
      metric === ranking?.metric &&
      verdict !== 'cannot_tell' &&
      models.every((model) => model === best || model === next),
  );
  if (best === undefined || next === undefined || !pair?.ci || pair.difference === null) return undefined;
  const { difference, ci } = pair;
  return pair.models[0] === best
    ? { best, next, size: difference, low: ci[0] }
    : { best, next, size: -difference, low: -ci[1] };
}

/** The leads of a model in the rows in which its answer and that of another are equally long. */
function leadsAtEqualLength(
  { spec, lengths, columns: { rowCount } }: JudgmentTask,
  panel: Float64Array,
  { best, next }: Lead,
): number[] {
  const [one, other] = [spec.judged.indexOf(best), spec.judged.indexOf(next)];
  const duel = duelColumns(spec, panel).get(`${Math.min(one, other)} ${Math.max(one, other)}`);
  const [first, second] = one < other ? (duel ?? []) : (duel?.toReversed() ?? []);
  return Array.from({ length: rowCount }, (_, row) => {
    const [left, right] = [lengths[one]?.[row] ?? NaN, lengths[other]?.[row] ?? NaN];
    const isEqual = Math.abs(left - right) <= EQUAL_LENGTH * Math.max(left, right);
    return isEqual ? (first?.[row] ?? NaN) - (second?.[row] ?? NaN) : NaN;
  }).filter((lead) => !Number.isNaN(lead));
}

function cutWarning({ lengths }: JudgmentTask): string[] {
  const cut = lengths.reduce(
    (sum, ofModel) => sum + ofModel.filter((length) => length > MAX_JUDGED_CHARACTERS).length,
    0,
  );
  return cut === 0
    ? []
    : [`Judges read only the first ${MAX_JUDGED_CHARACTERS.toLocaleString('en-US')} characters of ${cut} answers.`];
}
