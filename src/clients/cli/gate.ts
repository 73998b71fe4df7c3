import type { Experiment, ExperimentComparison, ExperimentSummary } from '../client/client';
import { EXIT, UsageError } from './exit-codes';
import { numberOf } from './request';
import { percent } from './statistics';

/** Options that make an exit code of the end of an experiment. */
export interface GateOptions {
  against?: string;
  failOn?: string;
  minPass?: string[];
  requireRecommended?: string;
}

/**
 * An experiment that no longer runs. `comparison` is null if the experiments have no common row, and undefined without
 * `--against`.
 */
export interface EndedExperiment {
  experiment: Experiment;
  summary: ExperimentSummary;
  comparison: ExperimentComparison | null | undefined;
}

/** An exit code, and why in sentences. */
export interface GateResult {
  code: number;
  reasons: string[];
}

/** A pass rate that a model, or every model, has to reach. */
interface Bound {
  model: string | undefined;
  least: number;
}

/** Returns the judge of an experiment with these models; made before anything is sent. @throws UsageError */
export function gateOf(
  { against, failOn, minPass = [], requireRecommended: required }: GateOptions,
  models: readonly string[],
): (ended: EndedExperiment) => GateResult {
  if (failOn !== undefined && !['worse', 'cannot-tell'].includes(failOn))
    throw new UsageError('--fail-on must be worse or cannot-tell.');
  if (failOn !== undefined && against === undefined)
    throw new UsageError('--fail-on needs --against, the experiment to compare with.');
  if (required !== undefined && !models.includes(required))
    throw new UsageError(
      `--require-recommended names ${required}, which is not in this experiment; it has ${models.join(', ')}.`,
    );
  const bounds = minPass.map((text) => boundOf(text, models));
  return (ended) => {
    const { experiment, summary, comparison } = ended;
    const early = endedEarly(experiment);
    if (early !== undefined) return early;
    const worse = [
      ...bounds.flatMap((bound) => below(bound, summary)),
      ...(comparison?.verdict === 'worse' ? [`This experiment is worse than ${against}.`] : []),
      ...notRecommended(required, summary),
    ];
    if (worse.length > 0) return { code: EXIT.regressed, reasons: worse };
    if (comparison === null)
      return {
        code: EXIT.cannotTell,
        reasons: [
          `Nothing can be compared with ${against}: the experiments have no row with the same id and content, or no model in common.`,
        ],
      };
    return failOn === 'cannot-tell' && isUnknown(comparison)
      ? { code: EXIT.cannotTell, reasons: [`The rows do not show whether this experiment is worse than ${against}.`] }
      : { code: EXIT.done, reasons: [] };
  };
}

function isUnknown(comparison: ExperimentComparison | undefined): boolean {
  return comparison !== undefined && (comparison.verdict === null || comparison.verdict === 'cannot_tell');
}

/** No recommendation is none of the required model. */
function notRecommended(model: string | undefined, { recommendation, headline }: ExperimentSummary): string[] {
  return model === undefined || recommendation?.model === model
    ? []
    : [`${model} is not recommended. ${recommendation?.words ?? headline}`];
}

/** A paused or canceled experiment is no final result. */
function endedEarly({
  experiment_id: id,
  state,
  reason_detail: detail,
  reason,
  rows,
}: Experiment): GateResult | undefined {
  if (state === 'paused')
    return {
      code: EXIT.money,
      reasons: [
        `The experiment paused before its end: ${detail ?? `${(reason ?? 'no reason known').replaceAll('_', ' ')}.`} To go on: mcs experiment resume ${id}${reason === 'cap_reached' ? ' --max-cost USD' : ''}`,
      ],
    };
  if (state !== 'finished')
    return { code: EXIT.failed, reasons: [`The experiment ended before its last row (${state}).`] };
  return rows.done === 0 ? { code: EXIT.modelsFailed, reasons: ['No model answered any row.'] } : undefined;
}

function boundOf(text: string, models: readonly string[]): Bound {
  const [, model, share = ''] = /^(?:(.+)=)?([^=]+)$/.exec(text) ?? [];
  const least = numberOf('--min-pass', share);
  if (least > 1) throw new UsageError('--min-pass is a share from 0 to 1: 0.9 for all models, or MODEL=0.9.');
  if (model !== undefined && !models.includes(model))
    throw new UsageError(`--min-pass names ${model}, which is not in this experiment; it has ${models.join(', ')}.`);
  return { model, least };
}

/** An unknown rate does not reach a bound. */
function below({ model: only, least }: Bound, { models }: ExperimentSummary): string[] {
  return models
    .filter(({ model }) => only === undefined || model === only)
    .flatMap(({ model, passed }) => {
      const low = passed?.ci?.[0];
      if (passed === null || low === undefined)
        return [`${model}: the pass rate has no interval, so it is not known to be ${percent(least)} or more.`];
      return low < least
        ? [
            `${model}: the pass rate of ${percent(passed.rate)} [${passed.ci?.map(percent).join(' to ')}] may be below ${percent(least)}.`,
          ]
        : [];
    });
}
