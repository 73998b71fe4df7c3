import { choice, decimal, text } from '../../../platform/http/validation/field-kinds';
import { sixDigits } from '../../statistics/rounding';
import { levenshteinSimilarity, tokenF1 } from '../../statistics/similarity';
import type { CheckFields, CheckType } from '../check-type';

export interface SimilarityCheck extends CheckFields {
  type: 'similarity';
  value: string;
  min: number;
  metric: 'levenshtein' | 'token_f1';
}

const MAX_CHARACTERS = 8000;

export const SIMILARITY: CheckType<SimilarityCheck> = {
  schema: {
    name: 'SimilarityCheck',
    description: 'Passes when the similarity, which is also the score, is at least `min`.',
  },
  fields: {
    value: {
      kind: text(MAX_CHARACTERS),
      description: 'The text to compare with.',
      example: 'The capital of France is Paris.',
      variables: 'plain',
    },
    min: { kind: decimal(0, 1), description: 'The least similarity.', example: 0.8 },
    metric: {
      kind: choice(['levenshtein', 'token_f1']),
      default: 'levenshtein',
      description: 'By edits of characters, or by the words that both share.',
    },
  },
  isInline: () => false,
  decideInThread({ value, min, metric }, given) {
    const score = metric === 'levenshtein' ? levenshteinSimilarity(given, value) : tokenF1(given, value);
    return { isMet: score >= min, score, observed: `Its similarity is ${sixDigits(score)}.` };
  },
};
