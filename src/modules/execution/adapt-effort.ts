import { EFFORTS, type Effort } from '../../common/effort';
import type { ResultWarning } from '../evals/result.entity';
import type { Model } from '../models/catalog';
import { MIN_THINKING_BUDGET, thinkingBudget } from '../providers/thinking-budget';
import { limitOutput, type OutputSettings } from './limit-output';

type ThinkingModel = Pick<Model, 'reasoning' | 'maxOutputTokens' | 'dialect'>;

/**
 * The effort to send to a model that was asked for `asked`; undefined to leave it to the vendor. Each change has a
 * warning.
 */
export function adaptEffort(
  asked: Effort,
  options: OutputSettings,
  model: ThinkingModel,
  warnings: ResultWarning[],
): Effort | undefined {
  const effort = nearestEffort(asked, model, warnings);
  if (
    !thinks(effort) ||
    model.dialect.thinking !== 'budget' ||
    thinkingBudget(effort, limitOutput(options, model, effort, [])) !== undefined
  )
    return effort;
  warnings.push({
    code: 'reasoning_effort_adapted',
    message: `This model needs room for at least ${MIN_THINKING_BUDGET} tokens of thought, which reasoning_tokens or max_tokens gives; none was sent in place of ${effort}.`,
  });
  return 'none';
}

/** True if a model takes no temperature at this effort, although it takes one without thinking. */
export function fixesTemperature(effort: Effort, { dialect: { thinking } }: Pick<Model, 'dialect'>): boolean {
  return thinks(effort) && (thinking === 'adaptive' || thinking === 'budget');
}

/** The effort itself if the model accepts it, or the nearest lower one, or the nearest higher one. */
function nearestEffort(asked: Effort, { reasoning }: ThinkingModel, warnings: ResultWarning[]): Effort | undefined {
  const efforts = EFFORTS.filter((effort) => reasoning?.efforts.includes(effort));
  if (efforts.includes(asked)) return asked;
  const lowest = efforts.find(thinks);
  if (lowest === undefined) {
    // A model that does not think has done what `none` asks for.
    if (asked !== 'none')
      warnings.push({
        code: 'reasoning_effort_ignored',
        message: `This model takes no reasoning effort${reasoning === undefined ? '' : ' but none'}; ${asked} was omitted.`,
      });
    return undefined;
  }
  const sent = efforts.findLast((effort) => EFFORTS.indexOf(effort) < EFFORTS.indexOf(asked)) ?? lowest;
  warnings.push({
    code: 'reasoning_effort_adapted',
    message: `This model accepts the reasoning efforts ${efforts.join(', ')}; ${sent} was sent in place of ${asked}.`,
  });
  return sent;
}

function thinks(effort: Effort | undefined): effort is Effort {
  return effort !== undefined && effort !== 'none';
}
