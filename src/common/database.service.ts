import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { nameOf } from './prepared-statements';

type Pool = Awaited<ReturnType<ReturnType<EntityManager['getConnection']>['getNativeClient']>>;

/** The reads that nearly every request makes, on the ORM's own connections but past its layers, which cost more than the statement itself. */
@Injectable()
export class Database {
  private pool: Pool | undefined;

  constructor(private readonly em: EntityManager) {}

  /** The first row of such a statement as a list of its values; pg copies an object for every row, which costs more than reading it. @throws what the driver throws */
  async first<Row extends unknown[]>(text: string, values: unknown[]): Promise<Row | undefined> {
    this.pool ??= await this.em.getConnection().getNativeClient();
    const { rows } = await this.pool.query<Row>({ name: nameOf(text), text, values, rowMode: 'array' });
    return rows[0];
  }

  /** The rows of a statement with `$1`, `$2` … for its values, outside of any transaction. @throws what the driver throws */
  async rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    this.pool ??= await this.em.getConnection().getNativeClient();
    const { rows } = await this.pool.query<Row>(text, values);
    return rows;
  }
}
