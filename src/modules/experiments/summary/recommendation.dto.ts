import { Choice, Decimal, Integer, ModelId, Part, Schema, Text } from '../../../platform/http/answer.decorators';

@Schema('A cheaper model that may be as good: the rows so far cannot tell.', 'ExperimentAlternative')
export class AlternativeDto {
  @ModelId()
  model!: string;

  @Integer(
    'Rows that would show it to be not worse, or worse, if the difference and its spread stay; null where they would not.',
    { nullable: true, example: 190 },
  )
  rows_needed!: number | null;
}

@Schema(
  'The model to take: the cheapest, by cost_per_passed, of those that are the best or not worse by more than the tolerance.',
  'ExperimentRecommendation',
)
export class RecommendationDto {
  @Text('The model; null where none can be recommended, and `words` say why.', { nullable: true, example: 'sim-swift' })
  model!: string | null;

  @Choice(['best', 'not_worse', null], '`not_worse`: cheaper than the best.', { nullable: true })
  basis!: 'best' | 'not_worse' | null;

  @Text('The model of the highest pass rate; of equal ones the cheapest.', { nullable: true, example: 'sim-titan' })
  best!: string | null;

  @Decimal('The loss of pass rate that counts as not worse.', { example: 0.02 })
  tolerance!: number;

  @Part(AlternativeDto, 'The cheapest model that may be as good, if it costs less.', { nullable: true })
  alternative!: AlternativeDto | null;

  @Text('The same in words; the wording may change.')
  words!: string;
}
