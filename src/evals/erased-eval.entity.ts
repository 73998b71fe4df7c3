import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from '../auth/user.entity';

/** What is left of an eval that was erased: counts and amounts, with which `npm run ledger:verify` can still prove its charge. No prompt, input or output. */
@Entity({ tableName: 'erased_evals' })
export class ErasedEval {
  @PrimaryKey({ type: 'text' })
  evalId!: string;

  @ManyToOne(() => User, { mapToPk: true, fieldName: 'user_id', deleteRule: 'restrict' })
  userId!: string;

  @Property({ type: 'timestamptz', length: 3 })
  erasedAt!: Date;

  /** Its results without their texts. */
  @Property({ type: 'jsonb' })
  resultSummaries!: object[];
}
