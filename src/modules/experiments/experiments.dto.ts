import { ChecksField, toChecks } from '../checks/read-checks';
import type { GivenCheck } from '../checks/types';
import { MAX_AMOUNT_USD, Money } from '../../common/money';
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
import { Field, ObjectField, PageCursor, PageLimit } from '../../platform/http/validation/field.decorators';
import { storedCommand } from '../runs/job-command';
import { ExperimentCheckDto, JudgeRequest, RubricCheckRequest } from './judge/judge.dto';
import { CANCELED_EXPERIMENT } from './experiment.entity';
import type { ExperimentCommand } from './experiment.types';
import { Schema } from '../../platform/http/answer.decorators';

const MAX_SAMPLES = 20;
const MAX_NAME_CHARACTERS = 100;
const DEFAULT_PARALLEL = 8;
const MAX_PARALLEL = 32;
const CAP = amount(0, MAX_AMOUNT_USD, 12);

@Schema('Options for every model of an experiment.')
export class ExperimentOptions {
  @OPTION_FIELDS.temperature
  temperature?: number;

  @OPTION_FIELDS.maxTokens
  max_tokens?: number;

  @Field(wholeNumber(1, MAX_SAMPLES), 'How often each model answers each row.', { optional: true, default: 1 })
  samples?: number;

  @OPTION_FIELDS.system
  system?: string;

  @OPTION_FIELDS.history
  history?: NonNullable<CompareOptions['history']>;

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

  @Field(text(MAX_NAME_CHARACTERS), 'A name for people.', { optional: true })
  name?: string;

  @ObjectField(
    JudgeRequest,
    'In place of the members from `dataset` to `checks`: models that judge the answers of another experiment.',
    {
      optional: true,
    },
  )
  judge?: JudgeRequest;

  @Field(recordId('ds', 'a data set id'), 'The data set; required without `judge`.', {
    example: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3',
    unless: 'judge',
  })
  dataset?: string;

  @Field(
    wholeNumber(1),
    'The number of rows, by default all: the first of the drawn order, a random sample that is the same in every experiment.',
    { optional: true },
  )
  limit?: number;

  @Field(
    text(REQUEST_LIMITS.MAX_PROMPT_CHARACTERS),
    'Prompt sent to each model for each row. {input} and the names of variables in braces are replaced by the texts of the row; without {input} or a variable, the input is appended. Required without `judge`.',
    { unless: 'judge' },
  )
  prompt?: string;

  @Field(
    listOf(text(MAX_MODEL_ARM_CHARACTERS), { of: 'model ids', min: 1, max: REQUEST_LIMITS.MAX_MODELS, isUnique: true }),
    'Model IDs to compare, as in POST /compare; required without `judge`.',
    { unless: 'judge' },
  )
  models?: string[];

  @ObjectField(ExperimentOptions, 'Options for every model.', { optional: true })
  options?: ExperimentOptions;

  @ChecksField(
    'What a good answer is. {input}, {expected} and the names of variables in braces are replaced by the texts of the row. Checks of the row come after these. A `rubric` is decided by a judge after the last row, under the same cap.',
    { optional: true, more: { any: ExperimentCheckDto, classes: { rubric: RubricCheckRequest } } },
  )
  checks?: (GivenCheck | RubricCheckRequest)[];

  @Field(wholeNumber(1, MAX_PARALLEL), 'The maximum number of rows that run at the same time.', {
    optional: true,
    default: DEFAULT_PARALLEL,
  })
  parallel?: number;

  /** The experiment as asked for, defaults filled in; without `judge`. */
  toCommand(): ExperimentCommand {
    const { options = new ExperimentOptions(), dataset = '', prompt = '', models = [] } = this;
    const rubrics = (this.checks ?? []).filter((check) => check instanceof RubricCheckRequest);
    const command: CompareCommand = {
      prompt,
      input: undefined,
      models,
      samples: options.samples ?? 1,
      options: settingsOf(options),
      checks: toChecks((this.checks ?? []).filter((check) => !(check instanceof RubricCheckRequest))),
    };
    return {
      ...this.terms(),
      datasetId: dataset,
      command,
      spec: {
        command: storedCommand(command),
        options: this.options,
        limit: this.limit ?? null,
        ...(rubrics.length > 0 && { rubrics }),
      },
    };
  }

  /** The members that an experiment of judges has too. */
  terms(): Pick<ExperimentCommand, 'name' | 'maxCost' | 'parallel'> {
    return {
      name: this.name ?? null,
      maxCost: this.max_cost_usd === undefined ? undefined : Money.fromNumber(this.max_cost_usd),
      parallel: this.parallel ?? DEFAULT_PARALLEL,
    };
  }
}

@Schema('An experiment whose cost is to be estimated.')
export class EstimateExperimentRequest extends ExperimentFields {
  @Field(CAP, 'The cap to estimate for (USD without margin).', { optional: true })
  max_cost_usd?: number;
}

@Schema('An experiment to start.')
export class CreateExperimentRequest extends ExperimentFields {
  @Field(
    CAP,
    'The cap: the cost of all evals together is never more than this (USD without margin). The experiment pauses when the next row could exceed it.',
  )
  max_cost_usd!: number;
}

const TARGET_STATES = ['paused', 'running', CANCELED_EXPERIMENT] as const;
const RETRIES = ['failed', 'missing'] as const;

@Schema('What to change of an experiment.')
export class ChangeExperimentRequest {
  @Field(
    choice(TARGET_STATES, 'ExperimentTargetState'),
    'Rows that run when an experiment is paused or canceled end and are charged. A canceled one never runs again.',
    { optional: true },
  )
  state?: (typeof TARGET_STATES)[number];

  @Field(
    CAP,
    'A new cap, at least what is spent and what the running rows can cost. An experiment that reached its cap goes on under a higher one.',
    { optional: true },
  )
  max_cost_usd?: number;

  @Field(
    choice(RETRIES, 'ExperimentRetry'),
    '`failed` runs rows again in which no model answered; `missing` also asks the models that gave no answer in other rows. Only these calls are charged.',
    { optional: true },
  )
  retry?: (typeof RETRIES)[number];
}

/** Query of GET /experiments. */
export class ExperimentListQuery {
  @PageLimit('experiments')
  limit: number = 20;

  @PageCursor('exp')
  cursor?: string;
}
