import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery, sql } from 'kysely';
import { Money } from '../../common/money';
import type {
  IdempotencyState,
  ReservationAnswer,
  ReservationHandle,
  ReservationRequest,
  Spending,
} from './reservation.types';
import { named } from '../../platform/database/statement-names';

interface SpendingRow {
  user_charged: string;
  user_reserved: string;
  key_charged: string | null;
  key_reserved: string | null;
}

interface KeyHolder extends Pick<ReservationRequest, 'id' | 'userId' | 'keyId' | 'month'> {
  key: string;
}

interface ReserveRow extends SpendingRow {
  is_made: boolean;
  is_free: boolean;
  free_eval_count: number;
  user_limit: string | null;
}

/**
 * Reservations of running evals. Their sums are in the rows that decide: free evals and money in the month's row, money
 * also in the key's row if the key has a limit.
 * A reservation and its sums are written together, and removed together, so that the sums in the locked rows always
 * match the reservations.
 *
 * Lock order, also of the settling statement: an eval's own reservation or its Idempotency-Key, then the month's row,
 * then the rows of its breakdown, which are never locked without the month's.
 * A statement that locks reservations of others, to renew or release them, skips locked rows.
 */
@Injectable()
export class ReservationsRepository {
  constructor(private readonly em: EntityManager) {}

  async inTransaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.em.fork().transactional(work);
  }

  /**
   * Decides on the locked rows of the month and the key and takes what is asked for, in one statement. Undefined when
   * these rows do not exist yet, or when expired reservations may hold
   * what is missing (unless `acceptsExpired`): `prepare` comes first then. What a statement reads of a row that it
   * locks is the newest; of other rows it may be older, so nothing is decided by them.
   * The Idempotency-Key of a request is taken before, by `takeKey`. Does not wait for the disk: a crash of Postgres
   * takes the reservation together with what it holds, and an eval whose reservation is gone is settled as an expired
   * one.
   */
  async reserve(
    request: ReservationRequest,
    acceptsExpired: boolean,
    em = this.em,
  ): Promise<ReservationAnswer | undefined> {
    const { rows } = await em
      .getKysely()
      .executeQuery<ReserveRow>(CompiledQuery.raw(RESERVE, valuesOf(request, acceptsExpired)));
    const [row] = rows;
    return (
      row && {
        isMade: row.is_made,
        isFree: row.is_free,
        freeEvalCount: row.free_eval_count,
        userLimit: row.user_limit === null ? null : Money.of(row.user_limit),
        ...spendingOf(row),
      }
    );
  }

  /** Creates the missing rows on which a reservation is decided, and releases expired reservations of the user. */
  async prepare({ userId, keyId, month, keyLimit }: ReservationRequest): Promise<void> {
    const db = this.em.getKysely();
    await sql`insert into month_totals (user_id, month) values (${userId}, ${month.toString()}) on conflict (user_id, month) do nothing`.execute(
      db,
    );
    if (keyLimit !== null) {
      await sql`
        insert into breakdown_totals (user_id, month, dimension, item) values (${userId}, ${month.toString()}, 'key', ${keyId}) on conflict (user_id, month, dimension, item) do nothing
      `.execute(db);
    }
    await this.releaseExpired(userId);
  }

  /** Deletes expired reservations of a user and takes what they hold off the month's and the key's rows. */
  async releaseExpired(userId: string): Promise<void> {
    await sql`
      with months as (
        select month from month_totals
        where user_id = ${userId} and month in (select month from reservations where user_id = ${userId} and expires_at <= statement_timestamp())
        order by month for update
      ), expired as (
        select reservation.id from months join reservations as reservation using (month)
        where reservation.user_id = ${userId} and reservation.expires_at <= statement_timestamp() for update of reservation skip locked
      ), deleted as (
        delete from reservations where id in (select id from expired) returning month, key_id, is_free, max_charge, is_key_limited
      ), held_by_month as (
        update month_totals as total set free_held = total.free_held - given.free_held, held = total.held - given.held
        from (select month, count(*) filter (where is_free) as free_held, sum(max_charge) as held from deleted group by month) as given
        where total.user_id = ${userId} and total.month = given.month
      )
      update breakdown_totals as part set held = part.held - given.held
      from (select month, key_id, sum(max_charge) as held from deleted where is_key_limited group by month, key_id) as given
      where part.user_id = ${userId} and part.month = given.month and part.dimension = 'key' and part.item = given.key_id
    `.execute(this.em.getKysely());
  }

  /**
   * Takes an Idempotency-Key by an empty reservation, until the transaction ends. Waits for other transactions that
   * admit or end a compare with it.
   * @throws UniqueConstraintViolationException while a compare with it runs
   */
  async takeKey(tx: EntityManager, { id, userId, keyId, month, key }: KeyHolder): Promise<void> {
    await sql`
      insert into reservations (id, user_id, key_id, month, is_free, max_charge, idempotency_key, expires_at)
      values (${id}, ${userId}, ${keyId}, ${month.toString()}, false, 0, ${key}, 'infinity')
    `.execute(tx.getKysely());
  }

  /** Deletes what has taken an Idempotency-Key and holds nothing; others get the key once the transaction ends. */
  async passKeyOn(tx: EntityManager, id: string): Promise<void> {
    await sql`delete from reservations where id = ${id}`.execute(tx.getKysely());
  }

  async usersWithExpired(limit: number): Promise<string[]> {
    const { rows } = await sql<{ user_id: string }>`
      select distinct user_id from reservations where expires_at <= statement_timestamp() limit ${limit}
    `.execute(this.em.getKysely());
    return rows.map(({ user_id: userId }) => userId);
  }

  /** Releases a reservation; a settled or released one no longer exists. */
  async release(id: string): Promise<void> {
    await sql`
      with deleted as (
        delete from reservations where id = ${id} returning user_id, month, key_id, is_free, max_charge, is_key_limited
      ), held_by_month as (
        update month_totals as total set free_held = total.free_held - deleted.is_free::integer, held = total.held - deleted.max_charge
        from deleted where total.user_id = deleted.user_id and total.month = deleted.month
        returning total.user_id
      )
      update breakdown_totals as part set held = part.held - deleted.max_charge
      from deleted, held_by_month
      where deleted.is_key_limited and part.user_id = deleted.user_id and part.month = deleted.month and part.dimension = 'key' and part.item = deleted.key_id
    `.execute(this.em.getKysely());
  }

  /** Extends reservations to `ttlSeconds` from now; reservations that end at this moment do not need it. */
  async renew(ids: readonly string[], ttlSeconds: number): Promise<void> {
    await sql`
      update reservations set expires_at = clock_timestamp() + make_interval(secs => ${ttlSeconds})
      where id in (select id from reservations where id = any(${ids}) for update skip locked)
    `.execute(this.em.getKysely());
  }

  /**
   * Locks the month, making its row where it is missing, and gives the free evals of it that are used or held. Needs a
   * transaction.
   */
  async lockMonth(tx: EntityManager, { userId, month }: Pick<ReservationRequest, 'userId' | 'month'>): Promise<number> {
    const { rows } = await sql<{ free_evals: number }>`
      insert into month_totals (user_id, month) values (${userId}, ${month.toString()})
      on conflict (user_id, month) do update set month = excluded.month
      returning free_eval_count + free_held as free_evals
    `.execute(tx.getKysely());
    const [row] = rows;
    if (row === undefined) throw new Error('A month without a row.');
    return row.free_evals;
  }

  /**
   * The amounts charged and reserved in the month of that reservation, by its user and by its key. Needs a transaction
   * that has locked the month.
   */
  async spending(
    tx: EntityManager,
    { userId, keyId, month }: ReservationHandle,
  ): Promise<{ user: Spending; key: Spending }> {
    const { rows } = await sql<SpendingRow>`
      select total.charge as user_charged, total.held as user_reserved, part.charge as key_charged, part.held as key_reserved
      from month_totals as total left join breakdown_totals as part
        on part.user_id = total.user_id and part.month = total.month and part.dimension = 'key' and part.item = ${keyId}
      where total.user_id = ${userId} and total.month = ${month.toString()}
    `.execute(tx.getKysely());
    const [row] = rows;
    if (row === undefined) throw new Error('A month without a row.');
    return spendingOf(row);
  }

  /** The state of an Idempotency-Key within the last 24 hours. */
  async findIdempotency(userId: string, key: string, since: Date, em = this.em): Promise<IdempotencyState> {
    const { rows } = await sql<{ eval_id: string | null; fingerprint: string | null }>`
      select eval_id, fingerprint from idempotency_keys where user_id = ${userId} and key = ${key} and created_at > ${since}
      union all
      select null, null from reservations where user_id = ${userId} and idempotency_key = ${key} and expires_at > clock_timestamp()
    `.execute(em.getKysely());
    const settled = rows.find(({ eval_id: evalId }) => evalId !== null);
    if (settled?.eval_id && settled.fingerprint) return { evalId: settled.eval_id, fingerprint: settled.fingerprint };
    return rows.length > 0 ? 'running' : undefined;
  }
}

/**
 * A constant text, for the reason that the settling statement is one (decision 12). It reads the user's quota and limit
 * too, because they may have been lowered since the
 * request was authenticated. A raised one counts from the next authentication on.
 */
const RESERVE = named(
  'reserve',
  `
  with month as (
    select free_eval_count, free_held, charge, held from month_totals where user_id = $2 and month = $4 for update
  ), key as (
    select part.charge, part.held from month, breakdown_totals as part
    where $10::numeric is not null and part.user_id = $2 and part.month = $4 and part.dimension = 'key' and part.item = $3 for update of part
  ), account as (
    select least($6::integer, free_quota) as free_quota, least($9::numeric, monthly_spend_limit) as user_limit from users where id = $2
  ), capacity as (
    select account.user_limit, month.free_eval_count, month.free_held, month.charge as user_charged, month.held as user_reserved, key.charge as key_charged, key.held as key_reserved,
      $5::boolean and month.free_eval_count + month.free_held < account.free_quota as is_free,
      $7::boolean
        and (account.user_limit is null or month.charge + month.held + $8::numeric <= account.user_limit)
        and ($10::numeric is null or key.charge + key.held + $8::numeric <= $10::numeric) as is_payable
    from month cross join account left join key on true where $10::numeric is null or key.charge is not null
  ), decision as (
    select capacity.*, is_free or is_payable as is_granted from capacity
    where case
      when $12::boolean then true
      when is_free or (is_payable and (free_held = 0 or not $5::boolean)) then true
      else not exists (select from reservations where user_id = $2 and expires_at <= statement_timestamp() and month = $4) end
  ), made as (
    insert into reservations (id, user_id, key_id, month, is_free, max_charge, is_key_limited, idempotency_key, expires_at)
    select $1, $2, $3, $4, is_free, case when is_free then 0 else $8::numeric end, $10::numeric is not null, $11, clock_timestamp() + make_interval(secs => $13)
    from decision where is_granted
    on conflict (id) do update set is_free = excluded.is_free, max_charge = excluded.max_charge, is_key_limited = excluded.is_key_limited, expires_at = excluded.expires_at
    returning is_free, max_charge
  ), held_by_month as (
    insert into month_totals as total (user_id, month, free_held, held) select $2, $4, is_free::integer, max_charge from made
    on conflict (user_id, month) do update set free_held = total.free_held + excluded.free_held, held = total.held + excluded.held
  ), held_by_key as (
    insert into breakdown_totals as part (user_id, month, dimension, item, held) select $2, $4, 'key', $3, max_charge from made where $10::numeric is not null
    on conflict (user_id, month, dimension, item) do update set held = part.held + excluded.held
  )
  select decision.*, exists (select from made) as is_made, set_config('synchronous_commit', 'off', true) from decision`,
);

/** The values of `RESERVE`, in the order of its parameters. */
function valuesOf(request: ReservationRequest, acceptsExpired: boolean): unknown[] {
  const {
    id,
    userId,
    keyId,
    month,
    wantsFree,
    freeQuota,
    mayBeCharged,
    maxCharge,
    userLimit,
    keyLimit,
    idempotency,
    ttlSeconds,
  } = request;
  return [
    // $1 to $4
    id,
    userId,
    keyId,
    month.toString(),
    // $5 to $10
    wantsFree,
    freeQuota,
    mayBeCharged,
    maxCharge.toString(),
    userLimit?.toString() ?? null,
    keyLimit?.toString() ?? null,
    // $11 to $13
    idempotency?.key ?? null,
    acceptsExpired,
    ttlSeconds,
  ];
}

function spendingOf(row: SpendingRow): { user: Spending; key: Spending } {
  return {
    user: { charged: Money.of(row.user_charged), reserved: Money.of(row.user_reserved) },
    key: { charged: Money.of(row.key_charged ?? '0'), reserved: Money.of(row.key_reserved ?? '0') },
  };
}
