import { choice, decimal } from '../../../platform/http/validation/field-kinds';
import { lastNumberIn, numbersIn, type WrittenNumber } from '../../statistics/written-numbers';
import type { CheckFields, CheckType } from '../check-type';
import { isWithin } from '../read-number';

export interface NumberCheck extends CheckFields {
  type: 'number';
  value: number;
  tolerance: number;
  which: 'last' | 'first' | 'only';
}

const MAX_NUMBER = 1e15;

export const NUMBER: CheckType<NumberCheck> = {
  schema: {
    name: 'NumberCheck',
    description: 'Passes when its number is within the tolerance. `1,234.5`, `1e3`, `-2` and `12 %` are read.',
  },
  fields: {
    value: { kind: decimal(-MAX_NUMBER, MAX_NUMBER), description: 'The number that is expected.', example: 42 },
    tolerance: { kind: decimal(0, MAX_NUMBER), default: 0, description: 'How far from it the number may be.' },
    which: {
      kind: choice(['last', 'first', 'only']),
      default: 'last',
      description: 'Which number of the text counts; `only` fails when there are several.',
    },
  },
  charactersRead: (_, { length }) => 4 * length,
  decide({ value, tolerance, which }, { text }) {
    const numbers: Iterable<WrittenNumber | undefined> = which === 'last' ? [lastNumberIn(text)] : numbersIn(text);
    const [first, second] = numbers;
    if (first === undefined) return { isMet: false, observed: 'It holds no number.' };
    if (which === 'only' && second !== undefined)
      return {
        isMet: false,
        observed: `It holds several numbers, the first two are ${first.written} and ${second.written}.`,
      };
    return {
      isMet: isWithin(first.value, value, tolerance),
      observed: `Its ${which === 'only' ? '' : `${which} `}number is ${first.written}.`,
    };
  },
};
