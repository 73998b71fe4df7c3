import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A webhook event that was dealt with, so that it is not when it comes again. */
@Entity({ tableName: 'stripe_events' })
export class StripeEvent {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'timestamptz', length: 3 })
  receivedAt!: Date;
}
