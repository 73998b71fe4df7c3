import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { Client, type ClientConfig } from 'pg';
import { Clock } from '../../common/clock';
import { breaksConnection, isPoolerAway, isStatementRefused, isUnanswered } from '../../common/is-database-unavailable';
import type { StatementNames } from './prepared-statements';
import { statementName } from './statement-names';

/** Called with the seconds that a statement took, under its name, and with its error. */
export type OnStatement = (statement: string, seconds: number, error?: unknown) => void;

/** Options of such a connection beyond those of `pg`. */
export interface PgClientOptions extends ClientConfig {
  /** How statements with parameters are named; without it none is. */
  names?: StatementNames | undefined;
  onStatement?: OnStatement | undefined;
  /**
   * How long the server may take to greet; without it as long as `connectionTimeoutMillis` of a pool, which is also the
   * wait for a free connection.
   */
  greetingTimeoutMs?: number;
  /** True if a login without channel binding is refused; pg's `enableChannelBinding` only prefers it. */
  requireChannelBinding?: boolean;
  /** Called with the server's process when its statement was given up because no answer came in time. */
  onAbandoned?: (pid: number) => void;
  /** Called when a pooler says that it does not reach the server. */
  onPoolerAway?: () => void;
}

type Callback = (error: unknown, result?: unknown) => void;

/**
 * A connection of the pool that prepares what it is asked again and again, and that ends rather than being used again
 * in an unknown state.
 */
export class PgClient extends Client {
  private readonly names: StatementNames | undefined;
  private readonly onStatement: OnStatement | undefined;
  private readonly clock = new Clock();
  private readonly onAbandoned: (pid: number) => void;
  private readonly onPoolerAway: () => void;
  /** The server's process, if it was asked for. */
  private pid: number | undefined;

  constructor(options: PgClientOptions = {}) {
    super(withGreetingTimeout(options, options));
    this.names = options.names;
    this.onStatement = options.onStatement;
    this.onAbandoned = options.onAbandoned ?? (() => undefined);
    this.onPoolerAway = options.onPoolerAway ?? (() => undefined);
    if (options.requireChannelBinding === true) this.refuseUnbound();
  }

  /** Asks for the server's process, so that an unanswered statement can be followed. */
  async identify(): Promise<void> {
    const {
      rows: [row],
    } = await (super.query<{ pid: number }>('select pg_backend_pid() as pid') as Promise<{ rows: { pid: number }[] }>);
    this.pid = row?.pid;
  }

  /**
   * Names what can be prepared, and ends the connection after an error that leaves it unfit for the next statement; pg
   * itself hands on a connection
   * that still waits for a silent server (https://github.com/brianc/node-postgres/issues/3399).
   */
  override query(statement: unknown, values?: unknown, callback?: unknown): never {
    const ended = this.timer(statement);
    const watched = typeof callback === 'function' ? this.watched(callback as Callback, ended) : callback;
    const answer: unknown = super.query(
      this.named(statement, values) as string,
      values as unknown[],
      watched as Callback,
    );
    if (answer instanceof Promise) {
      answer.then(
        () => ended(),
        (error: unknown) => {
          ended(error);
          this.endIfUnfit(error);
        },
      );
    }
    return answer as never;
  }

  /** Before pg answers the server's demand for a password. */
  private refuseUnbound(): void {
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Duplex } };
    let isBound = false;
    for (const demand of [
      'authenticationSASL',
      'authenticationCleartextPassword',
      'authenticationMD5Password',
      'authenticationOk',
    ]) {
      connection.prependListener(demand, ({ mechanisms = [] }: { mechanisms?: readonly string[] }) => {
        isBound ||= mechanisms.includes('SCRAM-SHA-256-PLUS');
        if (isBound) return;
        // Otherwise a server that wants no password would have let us in by then.
        connection.removeAllListeners('readyForQuery');
        connection.emit('error', new Error('The server offers no channel binding.'));
        connection.stream.destroy();
      });
    }
  }

  /** Called when the statement has ended. */
  private timer(statement: unknown): (error?: unknown) => void {
    const { onStatement } = this;
    if (onStatement === undefined) return () => undefined;
    const begunMs = this.clock.monotonicMs();
    return (error) => onStatement(statementName(textOf(statement)), (this.clock.monotonicMs() - begunMs) / 1000, error);
  }

  private watched(callback: Callback, ended: (error?: unknown) => void): Callback {
    return (error, result) => {
      ended(error);
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
    if (isUnanswered(error) && this.pid !== undefined) this.onAbandoned(this.pid);
    if (isPoolerAway(error)) this.onPoolerAway();
    if (breaksConnection(error)) void this.end();
    if (isStatementRefused(error) && this.names?.disable() === true) {
      new Logger(PgClient.name).warn(
        'A prepared statement was rejected, as behind a pooler in transaction mode. The service no longer prepares statements. Set DATABASE_PREPARE=off, or let the pooler keep prepared statements.',
      );
    }
  }
}

// The pool hides the password from copies.
function withGreetingTimeout(
  { greetingTimeoutMs, ...options }: PgClientOptions,
  { password }: PgClientOptions,
): PgClientOptions {
  return {
    ...options,
    ...(password !== undefined && { password }),
    ...(greetingTimeoutMs !== undefined && { connectionTimeoutMillis: greetingTimeoutMs }),
  };
}

function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');
}

// A text with parameters; not a cursor, which sends itself.
function isPreparable(statement: unknown): statement is { text: string } {
  const { text, values, submit } = statement as { text?: unknown; values?: unknown; submit?: unknown };
  return typeof text === 'string' && Array.isArray(values) && values.length > 0 && submit === undefined;
}
