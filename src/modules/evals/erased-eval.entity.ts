import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserId } from '../auth/user.entity';
import type { Result } from './result.entity';
import { TimestampColumn } from '../../platform/database/columns';

/**
 * The rest of an erased eval: the token counts and amounts that `npm run ledger:verify` needs to verify its charge. No
 * prompt, input or output.
 */
@Entity({ tableName: 'erased_evals' })
export class ErasedEval {
  @PrimaryKey({ type: 'text' })
  evalId!: string;

  @UserId()
  userId!: string;

  @TimestampColumn()
  erasedAt!: Date;

  /** The results of the eval without their texts. */
  @Property({ type: 'jsonb' })
  resultSummaries!: object[];
}

/** A result without its texts, as erasing writes it in SQL. */
export function summaryOf({ position, model, cost, inputTokens, outputTokens, details }: Result): object {
  return { position, model, cost: cost.toString(), input_tokens: inputTokens, output_tokens: outputTokens, details };
}
