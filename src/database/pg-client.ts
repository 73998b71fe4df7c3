import { Logger } from '@nestjs/common';
import { Client, type ClientConfig } from 'pg';
import { isStatementRefused, breaksConnection } from './is-database-unavailable';
import type { StatementNames } from './prepared-statements';

/** What such a connection may be told beyond what `pg` knows. */
export interface PgClientOptions extends ClientConfig {
  /** How statements with parameters are named; without it none is. */
  names?: StatementNames | undefined;
}

type Release = (error?: Error | boolean) => void;
type Callback = (error: unknown, result?: unknown) => void;

/** A connection of the pool that prepares what it is asked again and again, and that is never handed on in a state nobody knows. */
export class PgClient extends Client {
  private readonly names: StatementNames | undefined;
  private giveBack: Release = () => undefined;

  constructor(options: PgClientOptions = {}) {
    super(options);
    this.names = options.names;
  }

  /** As the pool sets it with each loan. A connection that ends while it is lent gives back its place by itself: Kysely does not, when it is `begin`, `commit` or `rollback` that fails. */
  set release(release: Release) {
    let isReleased = false;
    const lost = () => this.giveBack(true);
    this.once('end', lost);
    this.giveBack = (error) => {
      // The pool does not take it twice, from here and from whoever used it.
      if (isReleased) return;
      isReleased = true;
      this.off('end', lost);
      release(error);
    };
  }

  get release(): Release {
    return this.giveBack;
  }

  /** Names what can be prepared, and ends the connection after an error that leaves it unfit for the next statement. */
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
    if (isStatementRefused(error) && this.names?.giveUp() === true) {
      new Logger(PgClient.name).warn('A prepared statement was refused, as behind a pooler in transaction mode; none is prepared from now on. Set DATABASE_PREPARE=off, or let the pooler keep prepared statements.');
    }
  }
}

// A text with parameters; not a cursor, which sends itself.
function isPreparable(statement: unknown): statement is { text: string } {
  const { text, values, submit } = statement as { text?: unknown; values?: unknown; submit?: unknown };
  return typeof text === 'string' && Array.isArray(values) && values.length > 0 && submit === undefined;
}
