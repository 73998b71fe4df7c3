import { Entity, Index, PrimaryKey } from '@mikro-orm/decorators/legacy';
import { TimestampColumn } from '../../platform/database/columns';

/** A webhook event that was dealt with, so that it is not when it comes again; kept 30 days. */
@Entity({ tableName: 'stripe_events' })
export class StripeEvent {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @TimestampColumn()
  @Index()
  receivedAt!: Date;
}
