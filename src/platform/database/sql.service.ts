import { Injectable } from '@nestjs/common';
import { types, type CustomTypesConfig } from 'pg';
import { Money } from '../../common/money';
import { withRetries } from '../../common/is-database-unavailable';
import { PgPool } from './pg-pool';

const { INT8, NUMERIC, TIMESTAMPTZ } = types.builtins;

/** How columns become members of entities; all other types as pg reads them. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [INT8, (text) => BigInt(text)],
  [NUMERIC, (text) => Money.of(text)],
  [TIMESTAMPTZ, (text) => new Date(text)],
]);

const ENTITY_TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => PARSERS.get(oid) ?? (types.getTypeParser(oid, format) as (text: string) => unknown),
};

/**
 * Hand-written reads outside of any transaction, on the ORM's own connections but past its layers (docs/performance.md
 * says why).
 * Rows come as entities have them: `numeric` as Money, `timestamptz` as Date, `int8` as bigint; columns are named `as
 * "camelCase"`.
 */
@Injectable()
export class SqlService {
  constructor(private readonly pool: PgPool) {}

  /** Asks the database for a sign of life. @throws what the driver throws */
  async check(): Promise<void> {
    await this.query('select 1', []);
  }

  /** The first row of a statement; undefined without one. @throws what the driver throws */
  async queryOne<Row extends object>(text: string, values: unknown[]): Promise<Row | undefined> {
    const [row] = await this.query<Row>(text, values);
    return row;
  }

  /**
   * The rows of a statement with `$1`, `$2` … for its values; asked again when the connection breaks. @throws what the
   * driver throws
   */
  async query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await withRetries(() => this.pool.query<Row>({ text, values, types: ENTITY_TYPES }));
    return rows;
  }
}
