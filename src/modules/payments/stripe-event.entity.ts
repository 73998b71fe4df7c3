import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A webhook event that was dealt with, so that it is not when it comes again; kept 30 days. */
@Entity({ tableName: 'stripe_events' })
export class StripeEvent {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'timestamptz', length: 3 })
  @Index()
  receivedAt!: Date;
}
