import Big from 'big.js';

/** The largest amount that a request may name, in USD. */
export const MAX_AMOUNT_USD = 1_000_000_000;

declare global {
  interface JSON {
    /** A value that `JSON.stringify` prints as these very digits (ECMAScript proposal "JSON.parse source text access", in Node 22 and later). */
    rawJSON(text: string): unknown;
  }
}

// Strict mode refuses JavaScript numbers, so that a float can never slip into money.
const Decimal = Big();
Decimal.strict = true;

const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/;
/** One that `toString` would print just so. */
const SHORTEST_DECIMAL = /^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/;

/** An exact amount of US dollars. Sums and products never round, so no digit is lost whatever the margin or the price. */
export class Money {
  static readonly zero = new Money(new Decimal('0'));

  // Most amounts are read and printed and nothing else: one that is already written as it is to be printed stays text until somebody calculates.
  private constructor(private value: Big | string) {}

  /** Reads dollars from a plain decimal such as `"0.15"`. @throws RangeError for anything else. */
  static of(dollars: string): Money {
    if (SHORTEST_DECIMAL.test(dollars)) return new Money(dollars);
    if (!PLAIN_DECIMAL.test(dollars)) throw new RangeError('Money needs a plain decimal.');
    return new Money(new Decimal(dollars));
  }

  /** Reads an amount that came as a JSON number: its shortest decimal is what the caller wrote. */
  static fromNumber(amount: number): Money {
    const shortest = String(amount);
    return Money.of(shortest.includes('e') ? amount.toFixed(20) : shortest);
  }

  /** The exact sum; zero for none. */
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

  /** The exact product with a plain decimal (`"1.4"`) or a whole count. */
  times(factor: string | bigint): Money {
    return new Money(this.amount.times(factor.toString()));
  }

  /** The exact price of `count` pieces when this is the price of a million of them. */
  perMillion(count: number): Money {
    return new Money(this.amount.times(BigInt(count).toString()).times('0.000001'));
  }

  /** Negative, zero or positive as this is less than, equal to or more than the other. */
  compare(other: Money): number {
    return this.amount.cmp(other.amount);
  }

  /** The shortest plain decimal of the exact amount, never with an exponent. */
  toString(): string {
    return typeof this.value === 'string' ? this.value : this.value.toFixed();
  }

  /** Printed by `JSON.stringify` as a number with exactly the digits of `toString`. */
  toJSON(): unknown {
    return JSON.rawJSON(this.toString());
  }

  private get amount(): Big {
    if (typeof this.value === 'string') this.value = new Decimal(this.value);
    return this.value;
  }
}
