import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';

/** Deletes evals and their results; what the ledger needs of them is archived in `erased_evals`. */
@Injectable()
export class ErasureRepository {
  /** Erases one eval of a user, within the transaction `tx`; false when the user has no eval with this id. */
  async erase(tx: EntityManager, userId: string, id: string, at: Date): Promise<boolean> {
    return (await this.eraseWhere(tx, sql`id = ${id} and user_id = ${userId} for update`, at)).length > 0;
  }

  /**
   * Erases those of these evals that the user has, within the transaction `tx`. @returns the ids of the erased evals
   */
  async eraseAll(tx: EntityManager, userId: string, ids: readonly string[], at: Date): Promise<string[]> {
    return this.eraseWhere(tx, sql`id = any(${ids}) and user_id = ${userId} order by id for update`, at);
  }

  /**
   * Erases the oldest evals with ids below `id`, at most `limit` of them, within the transaction `tx`. Skips evals that
   * another process is erasing. @returns the ids of the erased evals
   */
  async eraseBefore(tx: EntityManager, id: string, limit: number, at: Date): Promise<string[]> {
    return this.eraseWhere(tx, sql`id < ${id} order by id limit ${limit} for update skip locked`, at);
  }

  private async eraseWhere(tx: EntityManager, which: RawBuilder<unknown>, at: Date): Promise<string[]> {
    // The ids are passed as an array so that the planner uses the index however many there are.
    const { rows } = await sql<{ id: string }>`
      with target as (
        select id, user_id from evals where ${which}
      ), archived as (
        insert into erased_evals (eval_id, user_id, erased_at, result_summaries)
        select id, user_id, ${at}::timestamptz, coalesce((
          select jsonb_agg(jsonb_build_object('position', position, 'model', model, 'cost', cost::text, 'input_tokens', input_tokens, 'output_tokens', output_tokens, 'details', details) order by position)
          from results where eval_id = target.id
        ), '[]') from target
      )
      delete from evals where id = any(array(select id from target)) returning id
    `.execute(tx.getKysely());
    return rows.map(({ id }) => id);
  }
}
