import { choice, flag, listOf, text } from '../../http/validation/field-kinds';
import { composed } from '../../statistics/normalized';
import { CASE, type CheckFields, type CheckType, type Finding } from '../check-type';
import { quoted } from '../quoted';

export interface ContainsCheck extends CheckFields {
  type: 'contains';
  values: string[];
  mode: 'all' | 'any';
  ignore_case: boolean;
}

const MAX_VALUES = 20;
const MAX_VALUE_CHARACTERS = 1000;
/** More steps of a search than this, characters of the text times those of a value, are made in the thread. */
const MAX_SEARCH_STEPS = 200_000;

export const CONTAINS: CheckType<ContainsCheck> = {
  schema: { name: 'ContainsCheck', description: 'Passes when all, or any, of the texts occur.' },
  fields: {
    values: { kind: listOf(text(MAX_VALUE_CHARACTERS), { of: 'texts', min: 1, max: MAX_VALUES }), description: 'The texts that are looked for.', example: ['Paris'], variables: 'plain' },
    mode: { kind: choice(['all', 'any']), default: 'all', description: 'Whether all of them have to occur.' },
    ignore_case: { kind: flag(), default: false, description: CASE },
  },
  isInline: ({ values }, { length }) => length * values.reduce((sum, value) => sum + value.length, 0) <= MAX_SEARCH_STEPS,
  decide({ values, mode, ignore_case: ignoresCase }, { text: given }) {
    const form = (one: string) => (ignoresCase ? composed(one).toLowerCase() : composed(one));
    const searched = form(given);
    const isIn = (value: string) => searched.includes(form(value));
    return mode === 'all' ? containsAll(values, isIn) : containsAny(values, isIn);
  },
};

function containsAll(values: readonly string[], isIn: (value: string) => boolean): Finding {
  const missing = values.find((value) => !isIn(value));
  if (missing !== undefined) return { isMet: false, observed: `It does not contain ${quoted(missing)}.` };
  return { isMet: true, observed: `It contains ${values.length === 1 ? quoted(values.join()) : `all ${values.length} texts`}.` };
}

function containsAny(values: readonly string[], isIn: (value: string) => boolean): Finding {
  const found = values.find(isIn);
  if (found !== undefined) return { isMet: true, observed: `It contains ${quoted(found)}.` };
  return { isMet: false, observed: `It does not contain ${values.length === 1 ? quoted(values.join()) : `any of the ${values.length} texts`}.` };
}
