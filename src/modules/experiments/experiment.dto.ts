import { ApiProperty } from '@nestjs/swagger';
import { Money } from '../../common/money';
import type { Page } from '../../common/page';
import type { Interval } from '../statistics/intervals';
import { DecisionDto } from './decision/decision.dto';
import {
  EXPERIMENT_STATES,
  isErased,
  PAUSE_REASONS,
  type ExperimentState,
  type PauseReason,
} from './experiment.entity';
import type { ExperimentView } from './experiment.types';
import {
  Choice,
  ConfidenceInterval,
  DateTime,
  Decimal,
  DecimalOrNull,
  Flag,
  Integer,
  LimitApplied,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
  UsdAmount,
} from '../../platform/http/answer.decorators';
import { JudgeDto } from './judge/judge.dto';
import { ExperimentOptions, type ExperimentListQuery } from './experiments.dto';

@Schema('The rows of an experiment by state. The rest of `total` was not begun yet.', 'ExperimentRowCounts')
class RowCountsDto {
  @Integer('All rows.')
  total!: number;

  @Integer('Rows in which at least one model answered.')
  done!: number;

  @Integer('Rows in which no model answered.')
  failed!: number;

  @Integer('Rows that run now.')
  running!: number;

  @Integer('Rows that were put back or are to be retried.')
  waiting!: number;
}

@Schema('One prompt for the rows of a data set and several models.')
export class ExperimentDto {
  @Text('Experiment ID.')
  experiment_id!: string;

  @Text('Its name.', { nullable: true })
  name!: string | null;

  @Choice(EXPERIMENT_STATES, '`finished` means that every row has ended. `erased` keeps figures and no text.')
  state!: ExperimentState;

  @Choice(PAUSE_REASONS, 'Why it is paused.', { nullable: true })
  reason!: PauseReason | null;

  @Text('The same as a sentence for people.', { nullable: true })
  reason_detail!: string | null;

  @Text('The data set.')
  dataset_id!: string;

  @Integer('The number of rows that was asked for; null for all.', { nullable: true })
  limit!: number | null;

  @Text('The prompt; null once erased.', { nullable: true })
  prompt!: string | null;

  @Texts('Model IDs in request order.')
  models!: string[];

  @Part(JudgeDto, 'Of an experiment of judges: what `models` judge; null for one that asks models.', { nullable: true })
  judge!: JudgeDto | null;

  @Part(ExperimentOptions, 'The options that were set; null if none were.', { nullable: true })
  options!: object | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'The checks of every row, with names and defaults.',
  })
  checks!: object[];

  @Integer('The maximum number of rows that run at the same time.')
  parallel!: number;

  @Part(RowCountsDto, 'Its rows by state.')
  rows!: RowCountsDto;

  @UsdAmount('Cost of its evals in USD without margin, exact; never above `max_cost_usd`.')
  cost_usd!: Money;

  @UsdAmount('What was charged for them in USD, exact.')
  charge_usd!: Money;

  @UsdAmount('The cap in USD without margin.')
  max_cost_usd!: Money;

  @UsdAmount('The most that can be charged under the cap, in USD.')
  max_charge_usd!: Money;

  @DateTime('When it was started (UTC).')
  created_at!: string;

  @DateTime('When it ended (UTC).', { nullable: true })
  finished_at!: string | null;

  @Integer(
    'Seconds until the last row ends at the pace so far; null before 20 rows have ended and while it does not run.',
    { nullable: true },
  )
  eta_seconds!: number | null;

  @DecimalOrNull(
    'Cost of all rows in USD at the mean so far, an estimate; null before 3 rows have ended and after the end.',
    0.21,
  )
  projected_cost_usd!: number | null;

  @ConfidenceInterval('Interval of 95 % of it; null without it.', [0.19, 0.23])
  projected_cost_ci!: Interval | null;

  @Part(DecisionDto, 'What was decided; null without a decision.', { nullable: true })
  decision!: DecisionDto | null;

  static from(view: ExperimentView): ExperimentDto {
    const { experiment, command, running, maxCharge, etaSeconds, projectedCost } = view;
    return {
      experiment_id: experiment.id,
      name: experiment.name,
      state: experiment.state,
      reason: experiment.reason,
      reason_detail: experiment.reasonDetail,
      dataset_id: experiment.datasetId,
      limit: experiment.spec.limit,
      prompt: isErased(experiment) ? null : command.prompt,
      models: command.models,
      judge: experiment.spec.judge === undefined ? null : JudgeDto.from(experiment.spec.judge),
      options: experiment.spec.options ?? null,
      checks: isErased(experiment) ? [] : [...command.checks, ...(experiment.spec.rubrics ?? [])],
      parallel: experiment.parallel,
      rows: {
        total: experiment.rowCount,
        done: experiment.done,
        failed: experiment.failed,
        running,
        waiting: view.waiting,
      },
      cost_usd: experiment.cost,
      charge_usd: experiment.charge,
      max_cost_usd: experiment.maxCost,
      max_charge_usd: maxCharge,
      created_at: experiment.createdAt.toISOString(),
      finished_at: experiment.finishedAt?.toISOString() ?? null,
      eta_seconds: etaSeconds,
      ...projectedOnWire(projectedCost),
      decision: experiment.decision && DecisionDto.from(experiment.decision),
    };
  }
}

function projectedOnWire(
  projected: ExperimentView['projectedCost'],
): Pick<ExperimentDto, 'projected_cost_usd' | 'projected_cost_ci'> {
  return { projected_cost_usd: projected?.usd ?? null, projected_cost_ci: projected?.ci ?? null };
}

@Schema('A page of experiments.')
export class ExperimentListDto {
  @Parts(ExperimentDto, 'Newest first.')
  experiments!: ExperimentDto[];

  @LimitApplied()
  limit!: number;

  static from({ items }: Page<ExperimentView>, { limit }: ExperimentListQuery): ExperimentListDto {
    return { experiments: items.map((view) => ExperimentDto.from(view)), limit };
  }
}

@Schema('An experiment whose texts are being erased.')
export class ErasedExperimentDto {
  @Text('Experiment ID.')
  experiment_id!: string;

  @Choice(['erasing', 'erased'], '`erased` once no text is left.')
  state!: ExperimentState;
}

@Schema('What an experiment would cost.')
export class ExperimentEstimateDto {
  @Integer('Rows.')
  rows!: number;

  @Integer('Model calls: rows × models × samples, and those of judges.')
  calls!: number;

  @UsdAmount(
    'A guess in USD without margin: the cost if every answer is half as long as allowed. Short answers cost much less. The input is counted on up to 50 rows.',
  )
  likely_cost_usd!: Money;

  @UsdAmount('The most that it can cost in USD without margin.')
  most_cost_usd!: Money;

  @UsdAmount('The most that can be charged for it in USD.')
  most_charge_usd!: Money;

  @Flag('Whether all rows are sure to run under `max_cost_usd`; null without one.', { nullable: true })
  fits_cap!: boolean | null;

  @Decimal(
    'The difference of pass rates that so many rows find in 8 of 10 experiments, if half of the answers pass; null for one model or without checks.',
    { nullable: true },
  )
  detectable_difference!: number | null;
}
