import { charactersIn } from '../../../common/postgres-text';
import { choice, wholeNumber } from '../../../platform/http/validation/field-kinds';
import { segmented, UNSPACED } from '../../statistics/words';
import type { CheckFields, CheckType } from '../check-type';

export interface LengthCheck extends CheckFields {
  type: 'length';
  min?: number;
  max?: number;
  unit: 'characters' | 'words' | 'tokens';
}

const MAX_LENGTH = 1_000_000;
/** In longer texts without spaces, words are looked for in the thread. */
const MAX_SEGMENTED_CHARACTERS = 8192;

export const LENGTH: CheckType<LengthCheck> = {
  schema: {
    name: 'LengthCheck',
    description: 'Passes when the text is neither shorter nor longer; `min` or `max` is needed.',
  },
  fields: {
    min: { kind: wholeNumber(0, MAX_LENGTH), optional: true, description: 'The least length.' },
    max: { kind: wholeNumber(0, MAX_LENGTH), optional: true, description: 'The greatest length.', example: 500 },
    unit: {
      kind: choice(['characters', 'words', 'tokens']),
      default: 'characters',
      description: 'What is counted; tokens are those the model was billed for, without reasoning.',
    },
  },
  problemOf({ min, max }) {
    if (min === undefined && max === undefined) return ' needs min or max';
    return isLength(min) && isLength(max) && min > max ? '.max must not be less than min' : undefined;
  },
  isInline: ({ unit }, text) => unit !== 'words' || text.length <= MAX_SEGMENTED_CHARACTERS || !UNSPACED.test(text),
  charactersRead: ({ unit }, { length }) => ({ tokens: 0, characters: 1, words: 4 })[unit] * length,
  decide({ min = 0, max = Infinity, unit }, { text, tokens }) {
    if (unit === 'tokens' && tokens === undefined) return { undecided: 'The tokens of this text were not counted.' };
    const count = unit === 'tokens' ? (tokens ?? 0) : unit === 'characters' ? charactersIn(text) : wordsIn(text);
    return {
      isMet: count >= min && count <= max,
      observed: `It is ${count} ${count === 1 ? unit.slice(0, -1) : unit} long.`,
    };
  },
};

/** True if it can be compared; other problems of a bound are reported by its rules. */
function isLength(bound: unknown): bound is number {
  return Number.isInteger(bound) && (bound as number) >= 0 && (bound as number) <= MAX_LENGTH;
}

function wordsIn(text: string): number {
  return segmented(text.match(/\S+/g) ?? []).length;
}
