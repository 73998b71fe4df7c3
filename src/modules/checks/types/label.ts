import { flag, listOf, text } from '../../../platform/http/validation/field-kinds';
import { composed } from '../../statistics/normalized';
import { CASE, type CheckFields, type CheckType } from '../check-type';
import { quoted } from '../quoted';

export interface LabelCheck extends CheckFields {
  type: 'label';
  values: string[];
  ignore_case: boolean;
}

const MAX_VALUES = 100;
const MAX_VALUE_CHARACTERS = 200;

export const LABEL: CheckType<LabelCheck> = {
  schema: {
    name: 'LabelCheck',
    description: 'Passes when the text is exactly one of the labels, apart from white space at both ends.',
  },
  fields: {
    values: {
      kind: listOf(text(MAX_VALUE_CHARACTERS), { of: 'texts', min: 1, max: MAX_VALUES }),
      description: 'The labels.',
      example: ['billing', 'shipping'],
      variables: 'plain',
    },
    ignore_case: { kind: flag(), default: false, description: CASE },
  },
  decide({ values, ignore_case: ignoresCase }, { text: given }) {
    const form = (one: string) => (ignoresCase ? composed(one.trim()).toLowerCase() : composed(one.trim()));
    const answer = form(given);
    const isMet = values.some((value) => form(value) === answer);
    return { isMet, observed: `It is ${quoted(given)}${isMet ? '' : ', which is none of the labels'}.` };
  },
};
