import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyBaseLogger } from 'fastify';
import { clusterMessage } from '../platform/cluster/primary-channel';
import { Clock } from '../common/clock';
import { Config } from '../platform/config/config';
import { Drain } from '../platform/background/drain';

/** How long the answers that are open when nothing runs any more may take to be read to their end. */
const ANSWER_TIMEOUT_MS = 4000;
const SWEEP_INTERVAL_MS = 100;
/**
 * Work that still runs this long after the longest eval is stopped; with the primary's last steps this stays below 10
 * s.
 */
const CLOSE_TIMEOUT_MS = 9000;
const PRIMARY_EXTRA_MS = 500;
/** A terminal and npm both hand a Ctrl-C on, so that one arrives twice. */
const SAME_CTRL_C_MS = 1000;

/** The longest that a process may take to stop after it is asked to. */
export function shutdownTimeoutMs({ drainMs, EVAL_TIMEOUT_MS }: Config): number {
  return drainMs + EVAL_TIMEOUT_MS + CLOSE_TIMEOUT_MS;
}

/** The same for the process that waits for workers. */
export function primaryShutdownTimeoutMs(config: Config): number {
  return shutdownTimeoutMs(config) + PRIMARY_EXTRA_MS;
}

/** Calls `stop` at the first SIGTERM or SIGINT, and `hurry` at any later one. Gives what takes the listeners back. */
export function onStopSignals(clock: Pick<Clock, 'monotonicMs'>, stop: () => void, hurry: () => void): () => void {
  let lastMs: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    const [now, last] = [clock.monotonicMs(), lastMs];
    lastMs = now;
    if (last === undefined) stop();
    else if (signal === 'SIGTERM' || now - last >= SAME_CTRL_C_MS) hurry();
  };
  process.on('SIGTERM', listener).on('SIGINT', listener);
  return () => process.off('SIGTERM', listener).off('SIGINT', listener);
}

/**
 * Ends a process that serves: it is no longer ready at once, serves everything for DRAIN_SECONDS, then refuses
 * compares, waits for the running ones,
 * stops listening, closes every connection and the database, and exits.
 */
export class GracefulShutdown {
  private readonly config: Config;
  private readonly drain: Drain;
  private readonly server: Server;
  private readonly clock = new Clock();
  private readonly skipped = new AbortController();
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly app: NestFastifyApplication,
    private readonly stopDatabase: () => Promise<void>,
  ) {
    this.config = app.get(Config);
    this.drain = app.get(Drain);
    this.server = app.getHttpServer();
    // The last thing before the listener is closed.
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('preClose', (done) => {
        this.closeConnections();
        done();
      });
  }

  /** Begins to listen to signals; a worker to its primary process as well, and to that alone when it comes to haste. */
  listen(): void {
    const stop = () => void this.stop();
    onStopSignals(this.clock, stop, () => {
      if (cluster.isPrimary) this.skipped.abort();
    });
    if (!cluster.isWorker) return;
    process.on('message', (received) => {
      const message = clusterMessage(received);
      if (message?.mcs !== 'stop') return;
      if (message.isHurried) this.skipped.abort();
      stop();
    });
  }

  /** True if it has begun. */
  get isUnderWay(): boolean {
    return this.stopped !== undefined;
  }

  private stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    const isServing = this.server.listening;
    this.drain.begin();
    this.log.info('not ready: the service is stopping');
    if (isServing) await delay(this.config.drainMs, undefined, { signal: this.skipped.signal }).catch(() => undefined);
    setTimeout(() => this.forceExit(), this.config.EVAL_TIMEOUT_MS + CLOSE_TIMEOUT_MS);
    try {
      await this.app.close();
      await this.stopDatabase();
      process.exit(0);
    } catch (err) {
      this.log.error({ err }, 'stopping failed');
      process.exit(1);
    }
  }

  private get log(): FastifyBaseLogger {
    return this.app.getHttpAdapter().getInstance().log;
  }

  /** Lets what is being answered be read for a while; then, or when there is nothing, closes every connection. */
  private closeConnections(): void {
    const deadlineMs = this.clock.monotonicMs() + ANSWER_TIMEOUT_MS;
    // Again and again: a connection that has not asked anything is none of the idle ones that the server closes itself.
    const sweep = setInterval(() => {
      if (this.drain.openResponses === 0 || this.clock.monotonicMs() >= deadlineMs) this.server.closeAllConnections();
    }, SWEEP_INTERVAL_MS);
    this.server.once('close', () => clearInterval(sweep));
  }

  private forceExit(): void {
    this.log.error({ openResponses: this.drain.openResponses }, 'stopping took too long; open requests are lost');
    process.exit(1);
  }
}
