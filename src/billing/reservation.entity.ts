import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';

/** A promise made to a running eval; it no longer counts once it has expired. */
@Entity({ tableName: 'reservations' })
@Index({ properties: ['userId', 'month'] })
export class Reservation {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  /** YYYY-MM in UTC, of the eval's start. */
  @Property({ type: 'text' })
  month!: string;

  /** Whether it holds one of the month's free evals. */
  @Property({ type: 'boolean' })
  isFree!: boolean;

  /** By the database's clock, which all replicas share. */
  @Property({ type: 'timestamptz', length: 3 })
  expiresAt!: Date;
}
