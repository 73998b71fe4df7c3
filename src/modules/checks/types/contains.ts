import { choice, flag, listOf, text } from '../../../platform/http/validation/field-kinds';
import { composed } from '../../statistics/normalized';
import { CASE, type CheckFields, type CheckType, type Finding } from '../check-type';
import { quoted } from '../quoted';

export interface ContainsCheck extends CheckFields {
  type: 'contains';
  values: string[];
  mode: 'all' | 'any';
  ignore_case: boolean;
  at?: 'start' | 'end';
}

const MAX_VALUES = 20;
const MAX_VALUE_CHARACTERS = 1000;
/** More steps of a search than this, characters of the text times those of a value, are made in the thread. */
const MAX_SEARCH_STEPS = 200_000;

const METHODS = { anywhere: 'includes', start: 'startsWith', end: 'endsWith' } as const;
const VERBS = {
  anywhere: ['contains', 'contain'],
  start: ['begins with', 'begin with'],
  end: ['ends with', 'end with'],
} as const;
type Verb = readonly [positive: string, negative: string];

export const CONTAINS: CheckType<ContainsCheck> = {
  schema: { name: 'ContainsCheck', description: 'Passes when all, or any, of the texts occur.' },
  fields: {
    values: {
      kind: listOf(text(MAX_VALUE_CHARACTERS), { of: 'texts', min: 1, max: MAX_VALUES }),
      description: 'The texts that are looked for; `value` may give a single one instead.',
      example: ['Paris'],
      variables: 'plain',
    },
    mode: { kind: choice(['all', 'any']), default: 'all', description: 'Whether all of them have to occur.' },
    ignore_case: { kind: flag(), default: false, description: CASE },
    at: {
      kind: choice(['start', 'end']),
      optional: true,
      description: 'Where the texts have to occur, apart from white space there; by default anywhere.',
    },
  },
  isInline: ({ values }, { length }) =>
    length * values.reduce((sum, value) => sum + value.length, 0) <= MAX_SEARCH_STEPS,
  decide({ values, mode, ignore_case: ignoresCase, at }, { text: given }) {
    const trimmed = (one: string) => (at === 'start' ? one.trimStart() : at === 'end' ? one.trimEnd() : one);
    const form = (one: string) => composed(ignoresCase ? trimmed(one).toLowerCase() : trimmed(one));
    const searched = form(given);
    const isIn = (value: string) => searched[METHODS[at ?? 'anywhere']](form(value));
    const verb = VERBS[at ?? 'anywhere'];
    return mode === 'all' ? containsAll(values, isIn, verb) : containsAny(values, isIn, verb);
  },
};

function containsAll(values: readonly string[], isIn: (value: string) => boolean, [does, not]: Verb): Finding {
  const missing = values.find((value) => !isIn(value));
  if (missing !== undefined) return { isMet: false, observed: `It does not ${not} ${quoted(missing)}.` };
  return {
    isMet: true,
    observed: `It ${does} ${values.length === 1 ? quoted(values.join()) : `all ${values.length} texts`}.`,
  };
}

function containsAny(values: readonly string[], isIn: (value: string) => boolean, [does, not]: Verb): Finding {
  const found = values.find(isIn);
  if (found !== undefined) return { isMet: true, observed: `It ${does} ${quoted(found)}.` };
  return {
    isMet: false,
    observed: `It does not ${not} ${values.length === 1 ? quoted(values.join()) : `any of the ${values.length} texts`}.`,
  };
}
