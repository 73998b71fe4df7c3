import { Type } from '@mikro-orm/core';
import { Money } from '../../common/money';

/** Stores Money as Postgres `numeric` without a scale, which keeps every digit it is given. */
export class MoneyColumn extends Type<Money | null, string | null> {
  override convertToDatabaseValue(value: Money | null): string | null {
    return value === null || value === undefined ? null : value.toString();
  }

  override convertToJSValue(value: string | null): Money | null {
    return value === null || value === undefined ? null : Money.of(value);
  }

  override getColumnType(): string {
    return 'numeric';
  }

  override compareAsType(): string {
    return 'string';
  }
}
