import { flag, text } from '../../../platform/http/validation/field-kinds';
import { composed } from '../../statistics/normalized';
import { CASE, type CheckFields, type CheckType } from '../check-type';
import { quoted } from '../quoted';

export interface EqualsCheck extends CheckFields {
  type: 'equals';
  value: string;
  ignore_case: boolean;
  trim: boolean;
}

const MAX_CHARACTERS = 32_000;

export const EQUALS: CheckType<EqualsCheck> = {
  schema: { name: 'EqualsCheck', description: 'Passes when the texts are equal.' },
  fields: {
    value: {
      kind: text(MAX_CHARACTERS, { canBeBlank: true }),
      description: 'The text that is expected.',
      example: 'Paris',
      variables: 'plain',
    },
    ignore_case: { kind: flag(), default: false, description: CASE },
    trim: { kind: flag(), default: true, description: 'Whether white space at both ends is left out.' },
  },
  decide({ value, ignore_case: ignoresCase, trim }, { text: given }) {
    const form = (one: string) => {
      const trimmed = composed(trim ? one.trim() : one);
      return ignoresCase ? trimmed.toLowerCase() : trimmed;
    };
    const isMet = form(given) === form(value);
    return { isMet, observed: isMet ? 'It is equal.' : `It is ${quoted(given)}.` };
  },
};
