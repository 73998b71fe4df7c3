import { Property } from '@mikro-orm/decorators/legacy';
import { MoneyColumn } from './money.column';

type PropertyDecorator = ReturnType<typeof Property>;

/** Options of a column besides its type. */
interface ColumnOptions {
  nullable?: true;
  default?: string;
}

/** A column of text. */
export const TextColumn = (options: ColumnOptions = {}): PropertyDecorator => Property({ type: 'text', ...options });

/** An instant, to the millisecond. */
export const TimestampColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Property({ type: 'timestamptz', length: 3, ...options });

/** An exact amount of money. */
export const AmountColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Property({ type: MoneyColumn, ...options });
