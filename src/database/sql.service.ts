import { Injectable } from '@nestjs/common';
import { withRetries } from './is-database-unavailable';
import { PgPool } from './pg-pool';

/** The reads that nearly every request makes, on the ORM's own connections but past its layers, which cost more than the statement itself. */
@Injectable()
export class SqlService {
  constructor(private readonly pool: PgPool) {}

  /** Asks the database for a sign of life. @throws what the driver throws */
  async check(): Promise<void> {
    await this.query('select 1', []);
  }

  /** The first row of such a statement as a list of its values; pg copies an object for every row, which costs more than reading it. @throws what the driver throws */
  async queryOne<Row extends unknown[]>(text: string, values: unknown[]): Promise<Row | undefined> {
    const { rows } = await withRetries(() => this.pool.query<Row>({ text, values, rowMode: 'array' }));
    return rows[0];
  }

  /** The rows of a statement with `$1`, `$2` … for its values, outside of any transaction. @throws what the driver throws */
  async query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await withRetries(() => this.pool.query<Row>(text, values));
    return rows;
  }
}
