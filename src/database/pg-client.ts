import { Logger } from '@nestjs/common';
import { Client, type ClientConfig } from 'pg';
import { isStatementRefused, breaksConnection } from './is-database-unavailable';
import type { StatementNames } from './prepared-statements';

/** What such a connection may be told beyond what `pg` knows. */
export interface PgClientOptions extends ClientConfig {
  /** How statements with parameters are named; without it none is. */
  names?: StatementNames | undefined;
}

type Callback = (error: unknown, result?: unknown) => void;

/** A connection of the pool that prepares what it is asked again and again, and that ends rather than being used again in an unknown state. */
export class PgClient extends Client {
  private readonly names: StatementNames | undefined;

  constructor(options: PgClientOptions = {}) {
    super(options);
    this.names = options.names;
  }

  /**
   * Names what can be prepared, and ends the connection after an error that leaves it unfit for the next statement; pg itself hands on a connection
   * that still waits for a silent server (https://github.com/brianc/node-postgres/issues/3399).
   */
  override query(statement: unknown, values?: unknown, callback?: unknown): never {
    const watched = typeof callback === 'function' ? this.watched(callback as Callback) : callback;
    const answer: unknown = super.query(this.named(statement, values) as string, values as unknown[], watched as Callback);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.endIfUnfit(error));
    return answer as never;
  }

  private watched(callback: Callback): Callback {
    return (error, result) => {
      if (error) this.endIfUnfit(error);
      callback(error, result);
    };
  }

  private named(statement: unknown, values: unknown): unknown {
    const config = typeof statement === 'string' ? { text: statement, values } : statement;
    if (!isPreparable(config)) return statement;
    const name = this.names?.nameOf(config.text);
    return name === undefined ? statement : { ...config, name };
  }

  private endIfUnfit(error: unknown): void {
    if (breaksConnection(error)) void this.end();
    if (isStatementRefused(error) && this.names?.disable() === true) {
      new Logger(PgClient.name).warn('A prepared statement was refused, as behind a pooler in transaction mode; none is prepared from now on. Set DATABASE_PREPARE=off, or let the pooler keep prepared statements.');
    }
  }
}

// A text with parameters; not a cursor, which sends itself.
function isPreparable(statement: unknown): statement is { text: string } {
  const { text, values, submit } = statement as { text?: unknown; values?: unknown; submit?: unknown };
  return typeof text === 'string' && Array.isArray(values) && values.length > 0 && submit === undefined;
}
