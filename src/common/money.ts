import Big from 'big.js';

/** The largest amount a request may contain, in USD. */
export const MAX_AMOUNT_USD = 1_000_000_000;

declare global {
  interface JSON {
    /**
     * A value that `JSON.stringify` prints verbatim (ECMAScript proposal "JSON.parse source text access", in Node 22
     * and later).
     */
    rawJSON(text: string): unknown;
  }
}

// Strict mode rejects JavaScript numbers, so that a float can never become money.
const Decimal = Big();
Decimal.strict = true;
// Of a quotient only; sums and products keep every digit.
Decimal.DP = 12;

const MILLIONTH = new Decimal('0.000001');

const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/;
/** A decimal that is already in the form `toString` returns. */
const CANONICAL_DECIMAL = /^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/;

/** An exact amount of US dollars. Arithmetic never rounds, except for `dividedBy`. */
export class Money {
  static readonly zero = new Money(new Decimal('0'));

  // Most amounts are only read and printed, so a canonical decimal stays text until it takes part in arithmetic.
  private constructor(private value: Big | string) {}

  /** Parses a plain decimal such as `"0.15"`, in USD. @throws RangeError for anything else */
  static of(dollars: string): Money {
    if (CANONICAL_DECIMAL.test(dollars)) return new Money(dollars);
    if (!PLAIN_DECIMAL.test(dollars)) throw new RangeError('An amount must be a plain decimal.');
    return new Money(new Decimal(dollars));
  }

  /** Converts an amount received as a JSON number; the shortest decimal of the number is what the caller wrote. */
  static fromNumber(amount: number): Money {
    const shortest = String(amount);
    return Money.of(shortest.includes('e') ? amount.toFixed(20) : shortest);
  }

  /** The exact sum; zero for an empty list. */
  static sum(amounts: Iterable<Money>): Money {
    let total = Money.zero;
    for (const amount of amounts) total = total.plus(amount);
    return total;
  }

  plus(other: Money): Money {
    return new Money(this.amount.plus(other.amount));
  }

  minus(other: Money): Money {
    return new Money(this.amount.minus(other.amount));
  }

  /** The exact product with a plain decimal (`"1.4"`) or an integer. */
  times(factor: string | bigint): Money {
    return new Money(this.amount.times(factor.toString()));
  }

  /** The exact cost of `count` units at this price per million units. */
  perMillion(count: number): Money {
    // Of most kinds of tokens a call uses none.
    if (count === 0) return Money.zero;
    return new Money(this.amount.times(BigInt(count).toString()).times(MILLIONTH));
  }

  /** The quotient with a positive whole number, as for a mean; rounded half up to 12 decimals, once. */
  dividedBy(count: number): Money {
    return new Money(this.amount.div(BigInt(count).toString()));
  }

  /** Negative, zero or positive when this amount is less than, equal to or greater than `other`. */
  compare(other: Money): number {
    return this.amount.cmp(other.amount);
  }

  /** The exact amount as the shortest plain decimal, never with an exponent. */
  toString(): string {
    return typeof this.value === 'string' ? this.value : this.value.toFixed();
  }

  /** Serialized as a JSON number with exactly the digits of `toString`. */
  toJSON(): unknown {
    return JSON.rawJSON(this.toString());
  }

  private get amount(): Big {
    if (typeof this.value === 'string') this.value = new Decimal(this.value);
    return this.value;
  }
}
