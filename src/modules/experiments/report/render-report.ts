import { createHash } from 'node:crypto';
import type { ExperimentDto } from '../experiment.dto';
import type { ExperimentRowDto } from '../rows/rows.dto';
import type { ExperimentSummaryDto, ModelSummaryDto } from '../summary/summary.dto';
import { coverageInWords, inPercent } from '../summary/words';
import { fenced, plain, table } from './markdown';

/** The parts that a share has too, as the API sends them. */
export interface SharedParts {
  experiment: Omit<ExperimentDto, 'charge_usd' | 'max_charge_usd'>;
  summary: ExperimentSummaryDto;
  /** Rows in which models differ. */
  rows: readonly ExperimentRowDto[];
}

/** The parts of a report. */
export interface ReportParts extends SharedParts {
  /** The models that answered, as the vendors name them. */
  answeredBy: ReadonlyMap<string, readonly string[]>;
}

export const REPORT_EXAMPLE =
  '# Tickets\n\n**Take sim-swift: it passes as many as sim-titan to within 2 points (−1.4 to 1.9), and a passed answer costs $0.0000091 instead of $0.00015 (94 % less).**\n';

/** The report in Markdown. The same parts give the same text; without texts, none of the user's is in it. */
export function renderReport(parts: ReportParts, withTexts: boolean): string {
  const { experiment, summary, rows } = parts;
  const { name, experiment_id: id } = experiment;
  const limits = [...(summary.judgment?.cautions ?? []), ...summary.warnings];
  const sections = [
    `# ${plain(withTexts && name !== null ? name : `Experiment ${id}`)}`,
    ...resultOf(experiment, summary, withTexts),
    figuresOf(summary),
    ...(withTexts && rows.length > 0 ? ['## Rows in which models differ', ...rows.map(rowOf)] : []),
    '## What was asked',
    ...askedOf(parts, withTexts),
    ...(limits.length > 0 ? ['## What it does not show', limits.map((limit) => `- ${plain(limit)}`).join('\n')] : []),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** The decision or the recommendation, or what is known instead. */
function sentenceOf({ decision }: Pick<ExperimentDto, 'decision'>, summary: ExperimentSummaryDto): string {
  if (decision === null) return summary.recommendation?.words ?? summary.headline;
  return decision.model === 'none' ? 'Decided: none of the models.' : `Decided: ${decision.model}.`;
}

function resultOf(experiment: ReportParts['experiment'], summary: ExperimentSummaryDto, withTexts: boolean): string[] {
  const { decision } = experiment;
  const sentence = `**${plain(sentenceOf(experiment, summary))}**`;
  if (decision === null) return [sentence];
  const { reason, decided_at: at, decided_by: by, tolerance } = decision;
  return [
    sentence,
    ...(withTexts && reason !== null ? [plain(reason, 2000)] : []),
    plain(`On ${at.slice(0, 10)}, by ${by}, at a tolerance of ${Number((100 * tolerance).toFixed(2))} points.`),
    plain(summary.recommendation?.words ?? summary.headline),
  ];
}

/** The model that was decided on, or else is recommended. */
export function takenModel(
  { decision }: { decision: { model: string } | null },
  { recommendation }: Pick<ExperimentSummaryDto, 'recommendation'>,
): string | null | undefined {
  return decision?.model ?? recommendation?.model;
}

/** The models in the order of their places. */
export function modelsByPlace({ models, ranking }: ExperimentSummaryDto): ModelSummaryDto[] {
  const places = new Map(ranking?.models.map(({ model }, index) => [model, index]));
  const placeOf = ({ model }: ModelSummaryDto) => places.get(model) ?? places.size;
  return models.toSorted((left, right) => placeOf(left) - placeOf(right));
}

function figuresOf(summary: ExperimentSummaryDto): string {
  const { ranking } = summary;
  const ranks = new Map(ranking?.models.map(({ model, rank }) => [model, rank]));
  return table(
    [
      'Model',
      ranking?.metric === 'score' ? 'Score' : 'Passed',
      'Place',
      'Cost of 1,000 passed answers',
      'Median latency',
      'Coverage',
    ],
    modelsByPlace(summary).map((model, index) => {
      const place = ranks.get(model.model);
      return [
        plain(`${index + 1}. ${model.model}`),
        qualityOf(model),
        place === undefined ? '–' : place.best === place.worst ? `${place.best}` : `${place.best} to ${place.worst}`,
        plain(perThousand(model)),
        timeOf(model.latency_ms?.p50),
        coverageInWords(model.coverage),
      ];
    }),
  );
}

function qualityOf({ passed, score }: ModelSummaryDto): string {
  if (passed !== null) return withEnds(passed.rate, passed.ci, inPercent);
  return score === null ? '–' : withEnds(score.mean, score.ci, (value) => value.toFixed(2));
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 });

function perThousand({ cost_per_passed: cost }: ModelSummaryDto): string {
  return cost === null ? '–' : withEnds(cost.usd, cost.ci, (usd) => DOLLARS.format(1000 * usd));
}

function withEnds(value: number, ends: readonly number[] | null, words: (value: number) => string): string {
  return `${words(value)}${ends === null ? '' : ` (${ends.map(words).join(' to ')})`}`;
}

function timeOf(ms: number | null | undefined): string {
  if (typeof ms !== 'number') return '–';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function rowOf({ row_id: id, input, expected, results }: ExperimentRowDto): string {
  return [
    `### Row ${plain(id)}`,
    ...(input === null ? [] : [fenced(input)]),
    ...(expected === null ? [] : [`Expected: ${plain(expected)}`]),
    ...results.map(({ model, output, passed, error }) =>
      error === undefined
        ? `${passed === null ? '○' : passed ? '✓' : '✗'} ${plain(model)}\n\n${fenced(output)}`
        : `– ${plain(model)}: ${error.code}`,
    ),
  ].join('\n\n');
}

/** The question of an experiment, or of its judges, and who was asked. */
function questionOf({ prompt, judge, rows }: ReportParts['experiment']) {
  return judge === null
    ? { text: prompt, kind: 'Prompt', asked: 'Models', rows: rows.total }
    : { text: judge.criterion, kind: 'Criterion', asked: `Judges (${judge.kind}) of ${judge.of}`, rows: judge.rows };
}

function askedOf({ experiment, summary, answeredBy }: ReportParts, withTexts: boolean): string[] {
  const { options, checks, models, dataset_id: dataset } = experiment;
  const { created_at: from, finished_at: to, cost_usd: cost, experiment_id: id } = experiment;
  const { text, kind, asked, rows } = questionOf(experiment);
  const named = models.map((model) => {
    const others = (answeredBy.get(model) ?? []).filter((one) => one !== model);
    return others.length === 0 ? model : `${model} (answered by ${others.join(', ')})`;
  });
  const lines = [
    ...(text === null || withTexts ? [] : [`${kind}: SHA-256 ${createHash('sha256').update(text).digest('hex')}`]),
    `${asked}: ${named.join(', ')}`,
    `Rows: ${summary.rows.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')}, from ${dataset}`,
    ...(options === null || !withTexts ? [] : [`Options: ${JSON.stringify(options)}`]),
    ...(withTexts ? checks.map((check) => `Check: ${JSON.stringify(check)}`) : []),
    `Cost: $${cost.toString()}`,
    `From ${from} to ${to ?? 'now'} (${id})`,
  ];
  const list = lines.map((one) => `- ${plain(one)}`).join('\n');
  return withTexts && text !== null ? [fenced(text, 2000), list] : [list];
}
