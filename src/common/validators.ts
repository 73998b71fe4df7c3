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

/** A number of dollars with at most so many decimals. By hand, because class-validator's IsNumber stumbles over numbers that JavaScript prints with an exponent, such as 1e-7. */
export const IsDollars = (decimals: number) => ValidateBy({
  name: 'isDollars',
  validator: {
    validate: (value) => typeof value === 'number' && Number.isFinite(value) && decimalsOf(value) <= decimals,
    defaultMessage: (about) => `${about?.property} must be a number of dollars with at most ${decimals} decimals`,
  },
});

function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** A query parameter's digits as a number; anything else is left for the validator to refuse. */
export function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
}
