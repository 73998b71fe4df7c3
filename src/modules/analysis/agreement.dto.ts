import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { AnswerAgreement, PairAgreement } from '../statistics/answer-comparison';
import { sixDigits } from '../statistics/rounding';
import type { SimilarityMetric } from '../statistics/similarity';
import { Choice, Decimal, Part, Schema, Texts } from '../../platform/http/answer.decorators';

@Schema('How far two models agree.')
class PairAgreementDto {
  @Decimal(
    'Share of the pairs of their answers that agree: as JSON, as a number, or as a text without regard to case, spaces and outer punctuation.',
    { example: 0.8 },
  )
  agree!: number;

  @Decimal('Mean similarity of the pairs, from 0 to 1.', { example: 0.93 })
  similarity!: number;

  static from({ agree, similarity }: PairAgreement): PairAgreementDto {
    return { agree: sixDigits(agree), similarity: sixDigits(similarity) };
  }
}

@Schema('The most frequent answer.')
class ConsensusDto {
  @Decimal('Its share of all answers.', { example: 0.75 })
  share!: number;

  @Texts('The models whose most frequent answer it is.', { example: ['sim-swift', 'sim-sage'] })
  models!: string[];
}

@ApiExtraModels(PairAgreementDto)
@Schema('How far the models of an eval agree with each other. Says nothing of who is right.')
export class AgreementDto {
  @Texts('Model IDs in request order.', { example: ['sim-swift', 'sim-sage'] })
  models!: string[];

  @Choice(
    ['levenshtein', 'token_f1'],
    'What similarity is: 1 less the share of characters to be edited, or the F1 score of shared words, when an answer has more than 5,000 characters or all together more than 25,000.',
  )
  metric!: SimilarityMetric;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { nullable: true, allOf: [{ $ref: getSchemaPath(PairAgreementDto) }] } },
    description:
      'A row and a column for each model, over all pairs of an answer of each; a model with itself over the pairs of its own answers. null where there is no pair.',
  })
  matrix!: (PairAgreementDto | null)[][];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    description: 'Models whose most frequent answers agree, the largest group first. Models that failed are in none.',
    example: [['sim-swift', 'sim-sage']],
  })
  groups!: string[][];

  @Part(ConsensusDto, 'The most frequent answer of all; null when no two answers agree.', { nullable: true })
  consensus!: ConsensusDto | null;

  static from({ models, metric, matrix, groups, consensus }: AnswerAgreement): AgreementDto {
    return {
      models,
      metric,
      matrix: matrix.map((row) => row.map((cell) => cell && PairAgreementDto.from(cell))),
      groups,
      consensus: consensus && { ...consensus, share: sixDigits(consensus.share) },
    };
  }
}
