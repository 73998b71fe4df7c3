import { Matches, ValidateBy, ValidateIf } from 'class-validator';
import { isStorable } from './text';

/** The member may be absent; unlike class-validator's IsOptional, null is not absent. */
export const MayBeAbsent = () => ValidateIf((_, value) => value !== undefined);

/** The member may be absent or null. */
export const MayBeNull = () => ValidateIf((_, value) => value !== undefined && value !== null);

/** Refuses text that Postgres cannot keep: U+0000 and lone surrogates. */
export const IsStorableText = () => ValidateBy({
  name: 'isStorableText',
  validator: {
    validate: (value) => typeof value === 'string' && isStorable(value),
    defaultMessage: (about) => `${about?.property} must not contain U+0000 or lone surrogates`,
  },
});

/** Refuses text of white space only. */
export const IsNotBlank = () => Matches(/\S/, { message: '$property must not be empty or only white space' });

/** A query parameter's digits as a number; anything else is left for the validator to refuse. */
export function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
}
