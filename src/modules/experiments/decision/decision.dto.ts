import { DateTime, Decimal, Schema, Text } from '../../../platform/http/answer.decorators';
import { decimal, MAX_MODEL_ARM_CHARACTERS, text } from '../../../platform/http/validation/field-kinds';
import { Field } from '../../../platform/http/validation/field.decorators';
import type { Decision } from '../experiment.entity';
import { DEFAULT_TOLERANCE, MAX_TOLERANCE } from '../summary/comparison-query.dto';

const MAX_REASON_CHARACTERS = 2000;
/** Stands for a decision to take none of the models. */
export const NO_MODEL = 'none';

@Schema('What is decided after an experiment.')
export class DecisionRequest {
  @Field(text(MAX_MODEL_ARM_CHARACTERS), 'A model ID of the experiment, or `none`.', { example: 'sim-swift' })
  model!: string;

  @Field(text(MAX_REASON_CHARACTERS), 'The reason, in words.', { optional: true })
  reason?: string;

  @Field(decimal(0, MAX_TOLERANCE), 'The loss of pass rate that was accepted, as a fraction.', {
    optional: true,
    default: DEFAULT_TOLERANCE,
  })
  tolerance?: number;
}

@Schema('What was decided after an experiment.', 'ExperimentDecision')
export class DecisionDto {
  @Text('A model ID of the experiment, or `none`.', { example: 'sim-swift' })
  model!: string;

  @Text('The reason; null without one, and once the experiment is erased.', { nullable: true })
  reason!: string | null;

  @Decimal('The loss of pass rate that was accepted, as a fraction.', { example: 0.02 })
  tolerance!: number;

  @DateTime('When it was decided (UTC).')
  decided_at!: string;

  @Text('The name of the key that decided.')
  decided_by!: string;

  static from({ model, reason, tolerance, decidedAt, decidedBy }: Decision): DecisionDto {
    return { model, reason, tolerance, decided_at: decidedAt, decided_by: decidedBy };
  }
}
