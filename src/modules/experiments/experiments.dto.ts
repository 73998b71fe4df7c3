import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChecksField, toChecks } from '../checks/read-checks';
import type { GivenCheck } from '../checks/types';
import { MAX_AMOUNT_USD, Money } from '../../common/money';
import type { Page } from '../../common/page';
import { OPTION_FIELDS, settingsOf, type CompareOptions } from '../compare/compare.dto';
import { REQUEST_LIMITS } from '../../platform/config/request-limits';
import type { CompareCommand } from '../execution/compare.types';
import {
  amount,
  choice,
  listOf,
  MAX_MODEL_ARM_CHARACTERS,
  recordId,
  text,
  wholeNumber,
} from '../../platform/http/validation/field-kinds';
import { Field, ObjectField } from '../../platform/http/validation/field.decorators';
import { PageCursor, PageLimit } from '../../platform/http/validation/page.decorators';
import { storedCommand } from '../runs/job-command';
import {
  CANCELED_EXPERIMENT,
  EXPERIMENT_STATES,
  isErased,
  PAUSE_REASONS,
  type ExperimentState,
  type PauseReason,
} from './experiment.entity';
import type { ExperimentCommand, ExperimentView } from './experiment.types';

const MAX_SAMPLES = 20;
const MAX_NAME_CHARACTERS = 100;
const DEFAULT_PARALLEL = 8;
const MAX_PARALLEL = 32;
const CAP = amount(0, MAX_AMOUNT_USD, 12);

/** Options for every call of an experiment. */
@ApiSchema({ name: 'ExperimentOptions', description: 'Options for every model of an experiment.' })
export class ExperimentOptions {
  @OPTION_FIELDS.temperature
  temperature?: number;

  @OPTION_FIELDS.maxTokens
  max_tokens?: number;

  @Field(wholeNumber(1, MAX_SAMPLES), {
    optional: true,
    default: 1,
    description: 'How often each model answers each row.',
  })
  samples?: number;

  @OPTION_FIELDS.system
  system?: string;

  @OPTION_FIELDS.reasoningEffort
  reasoning_effort?: NonNullable<CompareOptions['reasoning_effort']>;

  @OPTION_FIELDS.reasoningTokens
  reasoning_tokens?: number;

  @OPTION_FIELDS.responseFormat
  response_format?: NonNullable<CompareOptions['response_format']>;

  @OPTION_FIELDS.exactModel
  exact_model?: boolean;
}

/** The questions of an experiment, without its cap. */
abstract class ExperimentFields {
  abstract max_cost_usd?: number;

  @Field(text(MAX_NAME_CHARACTERS), { optional: true, description: 'A name for people.' })
  name?: string;

  @Field(recordId('ds', 'a data set id'), { description: 'The data set.', example: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  dataset!: string;

  @Field(wholeNumber(1), {
    optional: true,
    description:
      'The number of rows: the first of the order that was drawn for the data set, which are a random sample, and the same in every experiment. By default all.',
  })
  limit?: number;

  @Field(text(REQUEST_LIMITS.MAX_PROMPT_CHARACTERS), {
    description:
      'Prompt sent to each model for each row. {input} and the names of variables in braces are replaced by the texts of the row; without {input} or a variable, the input is appended.',
  })
  prompt!: string;

  @Field(
    listOf(text(MAX_MODEL_ARM_CHARACTERS), { of: 'model ids', min: 1, max: REQUEST_LIMITS.MAX_MODELS, isUnique: true }),
    { description: 'Model IDs to compare, as in POST /compare.' },
  )
  models!: string[];

  @ObjectField(ExperimentOptions, { optional: true, description: 'Options for every model.' })
  options?: ExperimentOptions;

  @ChecksField({
    optional: true,
    description:
      'What a good answer is. {input}, {expected} and the names of variables in braces are replaced by the texts of the row. Checks of the row come after these.',
  })
  checks?: GivenCheck[];

  @Field(wholeNumber(1, MAX_PARALLEL), {
    optional: true,
    default: DEFAULT_PARALLEL,
    description: 'The maximum number of rows that run at the same time.',
  })
  parallel?: number;

  /** The experiment as asked for, defaults filled in. */
  toCommand(): ExperimentCommand {
    const { options = new ExperimentOptions() } = this;
    const command: CompareCommand = {
      prompt: this.prompt,
      input: undefined,
      models: this.models,
      samples: options.samples ?? 1,
      options: settingsOf(options),
      checks: toChecks(this.checks ?? []),
    };
    return {
      name: this.name ?? null,
      datasetId: this.dataset,
      command,
      spec: { command: storedCommand(command), options: this.options, limit: this.limit ?? null },
      maxCost: this.max_cost_usd === undefined ? undefined : Money.fromNumber(this.max_cost_usd),
      parallel: this.parallel ?? DEFAULT_PARALLEL,
    };
  }
}

/** Body of POST /experiments/estimate. */
@ApiSchema({ description: 'An experiment whose cost is to be estimated.' })
export class EstimateExperimentRequest extends ExperimentFields {
  @Field(CAP, { optional: true, description: 'The cap to estimate for (USD without margin).' })
  max_cost_usd?: number;
}

/** Body of POST /experiments. */
@ApiSchema({ description: 'An experiment to start.' })
export class CreateExperimentRequest extends ExperimentFields {
  @Field(CAP, {
    description:
      'The cap: the cost of all evals together is never more than this (USD without margin). The experiment pauses when the next row could exceed it.',
  })
  max_cost_usd!: number;
}

const TARGET_STATES = ['paused', 'running', CANCELED_EXPERIMENT] as const;
const RETRIES = ['failed', 'missing'] as const;

/** Body of PATCH /experiments/{id}. */
@ApiSchema({ description: 'What to change of an experiment.' })
export class ChangeExperimentRequest {
  @Field(choice(TARGET_STATES, 'ExperimentTargetState'), {
    optional: true,
    description:
      'Rows that run when an experiment is paused or canceled end and are charged. A canceled one never runs again.',
  })
  state?: (typeof TARGET_STATES)[number];

  @Field(CAP, {
    optional: true,
    description:
      'A new cap, at least what is spent and what the running rows can cost. An experiment that reached its cap goes on under a higher one.',
  })
  max_cost_usd?: number;

  @Field(choice(RETRIES, 'ExperimentRetry'), {
    optional: true,
    description:
      '`failed` runs rows again in which no model answered; `missing` also asks the models that gave no answer in other rows. Only these calls are charged.',
  })
  retry?: (typeof RETRIES)[number];
}

/** Query of GET /experiments. */
export class ExperimentListQuery {
  @PageLimit('experiments')
  limit: number = 20;

  @PageCursor('exp', { description: 'Cursor from the Link header of the previous page.' })
  cursor?: string;
}

@ApiSchema({
  name: 'ExperimentRowCounts',
  description: 'The rows of an experiment by state. The rest of `total` was not begun yet.',
})
class RowCountsDto {
  @ApiProperty({ type: 'integer', description: 'All rows.' })
  total!: number;

  @ApiProperty({ type: 'integer', description: 'Rows in which at least one model answered.' })
  done!: number;

  @ApiProperty({ type: 'integer', description: 'Rows in which no model answered.' })
  failed!: number;

  @ApiProperty({ type: 'integer', description: 'Rows that run now.' })
  running!: number;

  @ApiProperty({ type: 'integer', description: 'Rows that were put back or are to be retried.' })
  waiting!: number;
}

/** An experiment. */
@ApiSchema({ name: 'Experiment', description: 'One prompt for the rows of a data set and several models.' })
export class ExperimentDto {
  @ApiProperty({ description: 'Experiment ID.' })
  experiment_id!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Its name.' })
  name!: string | null;

  @ApiProperty({
    enum: EXPERIMENT_STATES,
    description: '`finished` means that every row has ended. `erased` keeps figures and no text.',
  })
  state!: ExperimentState;

  @ApiProperty({ enum: PAUSE_REASONS, type: 'string', nullable: true, description: 'Why it is paused.' })
  reason!: PauseReason | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The same as a sentence for people.' })
  reason_detail!: string | null;

  @ApiProperty({ description: 'The data set.' })
  dataset_id!: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The number of rows that was asked for; null for all.' })
  limit!: number | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The prompt; null once erased.' })
  prompt!: string | null;

  @ApiProperty({ type: [String], description: 'Model IDs in request order.' })
  models!: string[];

  @ApiProperty({
    type: ExperimentOptions,
    nullable: true,
    description: 'The options that were set; null if none were.',
  })
  options!: object | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'The checks of every row, with names and defaults.',
  })
  checks!: object[];

  @ApiProperty({ type: 'integer', description: 'The maximum number of rows that run at the same time.' })
  parallel!: number;

  @ApiProperty({ type: RowCountsDto, description: 'Its rows by state.' })
  rows!: RowCountsDto;

  @ApiProperty({
    type: 'number',
    description: 'Cost of its evals in USD without margin, exact; never above `max_cost_usd`.',
  })
  cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'What was charged for them in USD, exact.' })
  charge_usd!: Money;

  @ApiProperty({ type: 'number', description: 'The cap in USD without margin.' })
  max_cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'The most that can be charged under the cap, in USD.' })
  max_charge_usd!: Money;

  @ApiProperty({ format: 'date-time', description: 'When it was started (UTC).' })
  created_at!: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'When it ended (UTC).' })
  finished_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Seconds until the last row ends at the pace so far; null before 20 rows have ended and while it does not run.',
  })
  eta_seconds!: number | null;

  static from(view: ExperimentView): ExperimentDto {
    const { experiment, command, running, maxCharge, etaSeconds } = view;
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
      options: experiment.spec.options ?? null,
      checks: isErased(experiment) ? [] : [...command.checks],
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
    };
  }
}

/** Response body of GET /experiments. */
@ApiSchema({ name: 'ExperimentList', description: 'A page of experiments.' })
export class ExperimentListDto {
  @ApiProperty({ type: [ExperimentDto], description: 'Newest first.' })
  experiments!: ExperimentDto[];

  @ApiProperty({ type: 'integer', description: 'The limit applied.', example: 20 })
  limit!: number;

  static from({ items }: Page<ExperimentView>, { limit }: ExperimentListQuery): ExperimentListDto {
    return { experiments: items.map((view) => ExperimentDto.from(view)), limit };
  }
}

/** Response body of DELETE /experiments/{id}. */
@ApiSchema({ name: 'ErasedExperiment', description: 'An experiment whose texts are being erased.' })
export class ErasedExperimentDto {
  @ApiProperty({ description: 'Experiment ID.' })
  experiment_id!: string;

  @ApiProperty({ enum: ['erasing', 'erased'], description: '`erased` once no text is left.' })
  state!: ExperimentState;
}

@ApiSchema({ name: 'ExperimentEstimate', description: 'What an experiment would cost.' })
export class ExperimentEstimateDto {
  @ApiProperty({ type: 'integer', description: 'Rows.' })
  rows!: number;

  @ApiProperty({ type: 'integer', description: 'Model calls: rows × models × samples.' })
  calls!: number;

  @ApiProperty({
    type: 'number',
    description:
      'A guess in USD without margin: the cost if every answer is half as long as allowed. Short answers cost much less. The input is counted on up to 50 rows.',
  })
  likely_cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'The most that it can cost in USD without margin.' })
  most_cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'The most that can be charged for it in USD.' })
  most_charge_usd!: Money;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    description: 'Whether all rows are sure to run under `max_cost_usd`; null without one.',
  })
  fits_cap!: boolean | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description:
      'The difference of pass rates that so many rows find in 8 of 10 experiments, if half of the answers pass; null for one model or without checks.',
  })
  detectable_difference!: number | null;
}
