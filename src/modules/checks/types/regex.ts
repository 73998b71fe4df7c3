import { pattern, text, withProblem } from '../../../platform/http/validation/field-kinds';
import type { CheckFields, CheckType } from '../check-type';
import { boundsProblem } from '../pattern-bounds';

export interface RegexCheck extends CheckFields {
  type: 'regex';
  pattern: string;
  flags: string;
}

const MAX_CHARACTERS = 512;

export const REGEX: CheckType<RegexCheck> = {
  schema: { name: 'RegexCheck', description: 'Passes when a pattern is found.' },
  fields: {
    pattern: {
      kind: withProblem(text(MAX_CHARACTERS), boundsProblem),
      variables: 'escaped',
      description:
        'A pattern of RE2: no look-around, no back-references; the bounds in its braces add up to at most 1,000, and it compiles to at most 2,000 instructions.',
      example: '\\bParis\\b',
    },
    flags: {
      kind: pattern(/^(?!.*(.).*\1)[ims]{0,3}$/, 'letters of i, m and s, each at most once'),
      default: '',
      description: '`i` ignores case, with `m` ^ and $ match at each line, with `s` . matches line ends.',
    },
  },
  isInline: () => false,
  compiled: { member: 'pattern', compile: (check, compilers) => void compilers.pattern(check.pattern, check.flags) },
  decideInThread(check, given, compilers) {
    const isMet = compilers.pattern(check.pattern, check.flags)(given);
    return { isMet, observed: isMet ? 'It contains the pattern.' : 'It does not contain the pattern.' };
  },
};
