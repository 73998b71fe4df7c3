import { CHECK_CLASSES } from '../../checks/check.dto';
import { ApiOneOf, Choice, Integer, member, Schema, Text, Texts } from '../../../platform/http/answer.decorators';
import {
  choice,
  listOf,
  MAX_MODEL_ARM_CHARACTERS,
  pattern,
  recordId,
  text,
  wholeNumber,
  type FieldKind,
} from '../../../platform/http/validation/field-kinds';
import { Field } from '../../../platform/http/validation/field.decorators';
import { JUDGE_KINDS, type JudgeKind, type JudgeScale, type JudgeSpec } from './judge-spec';

const MAX_JUDGES = 3;
const MAX_CRITERION_CHARACTERS = 4000;
const SCALES = {
  oneOf: [
    { type: 'string', enum: ['pass_fail'] },
    { type: 'integer', enum: [5] },
  ],
};
const SCALE: FieldKind = {
  schema: SCALES,
  expected: '"pass_fail" or 5',
  isOfType: (value) => value === 'pass_fail' || value === 5,
};
const modelId = () => text(MAX_MODEL_ARM_CHARACTERS);
const criterion = () =>
  Field(
    text(MAX_CRITERION_CHARACTERS),
    'What a good answer is, in words. {input}, {expected} and the names of variables in braces are replaced by the texts of the row.',
    { example: 'It answers the question politely and invents nothing.' },
  );
const scale = () =>
  Field(SCALE, 'Of a rubric: whether an answer passes, or a mark from 1 to 5.', {
    optional: true,
    default: 'pass_fail',
  });

@Schema('Models that judge the answers of an experiment.')
export class JudgeRequest {
  @Field(recordId('exp', 'an experiment id'), 'The experiment whose answers are judged; it has ended.', {
    example: 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3',
  })
  of!: string;

  @Field(
    choice(JUDGE_KINDS, 'JudgeKind'),
    '`rubric` judges every answer alone, `pairwise` two answers at a time in both orders. Only the first sample is judged.',
  )
  kind!: JudgeKind;

  @Field(
    listOf(modelId(), { of: 'model ids', min: 1, max: MAX_JUDGES, isUnique: true }),
    'The judges; none may be among the judged models.',
  )
  models!: string[];

  @criterion()
  criterion!: string;

  @scale()
  scale?: JudgeScale;

  @Field(
    modelId(),
    'Of pairwise: the model that every other is compared with; by default all pairs of up to 5 models.',
    { optional: true },
  )
  baseline?: string;

  @Field(wholeNumber(1), 'The number of rows to judge, the first ones; by default all.', { optional: true })
  rows?: number;
}

@Schema('Passes when a judge says so: a model that reads the answer and the criterion, after the last row.')
export class RubricCheckRequest {
  @Field(choice(['rubric']), 'What kind of check it is.')
  type!: 'rubric';

  @Field(
    pattern(/^[a-z0-9_-]{1,40}$/, '1 to 40 of the characters a to z, 0 to 9, _ and -'),
    'The name of its judge experiment.',
    { optional: true, example: 'polite' },
  )
  name?: string;

  @criterion()
  criterion!: string;

  @Field(modelId(), 'The model that judges; none of the experiment.', { example: 'sim-sage' })
  judge!: string;

  @scale()
  scale?: JudgeScale;
}

/** A check of an experiment. */
@ApiOneOf({
  name: 'ExperimentCheck',
  description: 'A check by code, or a rubric that a judge decides; told apart by `type`.',
  by: 'type',
  members: { ...CHECK_CLASSES, rubric: RubricCheckRequest },
})
export class ExperimentCheckDto {}

@Schema('What an experiment of judges judges.', 'ExperimentJudge')
export class JudgeDto {
  @Text('The experiment whose answers are judged.')
  of!: string;

  @Choice(JUDGE_KINDS, '`rubric` or `pairwise`.', { enumName: 'JudgeKind' })
  kind!: JudgeKind;

  @Text('The criterion; null once erased.', { nullable: true })
  criterion!: string | null;

  @member(SCALES, 'Of a rubric: the verdicts.', { nullable: true })
  scale!: JudgeScale | null;

  @Texts('The judged models.')
  judged!: string[];

  @Text('Of pairwise: the model that every other is compared with; null for all pairs.', { nullable: true })
  baseline!: string | null;

  @Integer('The number of judged rows.')
  rows!: number;

  static from({ of, kind, criterion, scale, judged, baseline, rows }: JudgeSpec): JudgeDto {
    return { of, kind, criterion: criterion || null, scale, judged, baseline, rows };
  }
}
