import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { AggregatorRegistry, RegistryContentType } from 'prom-client';
import { Clock } from '../../common/clock';
import { OperatorError } from '../../common/operator-error';
import { clusterMessage, type ClusterMessage } from './primary-channel';

/** A worker that ran for this time did not crash because of its start. */
const STABLE_MS = 10_000;
const INITIAL_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** Failed starts in a row that make a crash loop while no worker serves. */
const MAX_FAILED_STARTS = 6;

/** Options of the primary process. */
interface ClusterPrimaryOptions {
  workers: number;
  /** Environment variables of the workers beyond its own. */
  variables: Readonly<Record<string, string>>;
  /**
   * More variables for a first worker that prepares the database before the others start; undefined where nothing is to
   * be prepared.
   */
  preparing?: Readonly<Record<string, string>> | undefined;
  /** Logs each worker that ends and is replaced. */
  warn(facts: object, message: string): void;
  /** Prints why a worker cannot start. */
  log(reason: string): void;
}

/** The result of a start. */
interface Started {
  address: Pick<AddressInfo, 'address' | 'port'>;
  /** The demo user's key, if it was just created. */
  demoKey: string | undefined;
}

/**
 * The primary process of the cluster: serves nothing itself, starts the workers, replaces any that ends, stops them,
 * and adds up their metrics.
 */
export class ClusterPrimary {
  private stopping = false;
  /** Of workers that ran for less than STABLE_MS. */
  private consecutiveCrashes = 0;
  private failedStarts = 0;
  private isStarted = false;
  private startFailure: string | undefined;
  private isPreparing: boolean;
  private address: Started['address'] | undefined;
  private demoKey: string | undefined;
  private readonly started = new Set<Worker>();
  private readonly allStarted = Promise.withResolvers<Started>();
  private readonly startFailed = Promise.withResolvers<never>();
  private readonly serving = new Set<Worker>();
  private readonly backoffs = new Set<NodeJS.Timeout>();
  private readonly clock = new Clock();
  private registry: AggregatorRegistry<RegistryContentType> | undefined;

  constructor(private readonly options: ClusterPrimaryOptions) {
    this.isPreparing = options.preparing !== undefined;
  }

  /**
   * Starts the workers; gives the address when all of them listen, and the demo key if the first one has created it.
   * `onCrashLoop` is called when workers crash again and again and none serves.
   * A worker killed before that is started again.
   * @throws OperatorError when a worker ends by itself before that
   */
  async start(onCrashLoop: () => void): Promise<Started> {
    // Workers accept connections themselves: a connection that this process sends to a dead worker would stay open and
    // unanswered.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.on('message', (worker, message: unknown) => this.receive(worker, clusterMessage(message)));
    cluster.on('exit', (worker, code, signal) => {
      // A worker that ends by itself before all are ready would do so again.
      if (this.stopping || (!this.isStarted && code !== null)) return;
      if (this.failedStarts >= MAX_FAILED_STARTS && this.serving.size === 0) onCrashLoop();
      else this.replace(worker, code, signal);
    });
    for (let count = this.isPreparing ? 1 : this.options.workers; count > 0; count -= 1) this.fork();
    const started = await Promise.race([this.allStarted.promise, this.startFailed.promise]).catch((error: unknown) => {
      this.stopping = true;
      // The others do not serve yet, and each would report that this process has ended.
      this.kill();
      throw error;
    });
    this.isStarted = true;
    return started;
  }

  /** Stops the workers gracefully. Gives whether all of them ended well. */
  async stop(): Promise<boolean> {
    this.stopping = true;
    for (const pause of this.backoffs) clearTimeout(pause);
    const ends = await Promise.all(
      workers().map(async (worker) => {
        const code = ended(worker);
        // A worker that does not serve yet does not receive messages either.
        if (this.serving.has(worker)) send(worker, { mcs: 'stop', isHurried: false });
        else worker.process.kill('SIGTERM');
        return code;
      }),
    );
    return ends.every((code) => code === 0 || code === null);
  }

  /** After `stop`: skips DRAIN_SECONDS in all workers. */
  hurry(): void {
    for (const worker of workers()) send(worker, { mcs: 'stop', isHurried: true });
  }

  /** Asks every worker to read MODEL_CATALOG_FILE again; a starting worker reads it anyway. */
  reload(): void {
    for (const worker of workers()) send(worker, { mcs: 'reload' });
  }

  /** Kills the workers that are left. */
  kill(): void {
    for (const worker of workers()) worker.process.kill('SIGKILL');
  }

  private receive(worker: Worker, message: ClusterMessage | undefined): void {
    if (message?.mcs === 'start-failure') this.noteStartFailure(message.reason);
    else if (message?.mcs === 'started') this.noteStarted(worker, message.demoKey);
    else if (message?.mcs === 'metrics-request') void this.sendMetrics(worker);
  }

  private async sendMetrics(worker: Worker): Promise<void> {
    // Loaded only where metrics are read.
    this.registry ??= new (await import('prom-client')).AggregatorRegistry();
    // Rejects if a worker does not respond.
    const text = await this.registry.clusterMetrics().catch(() => undefined);
    send(worker, { mcs: 'metrics', text });
  }

  /** `start` throws the first one; later ones are printed. */
  private noteStartFailure(reason: string): void {
    this.startFailure = reason;
    if (this.isStarted) this.options.log(reason);
  }

  /** Starts the other workers when the database is prepared, and lets all be ready when all have started. */
  private noteStarted(worker: Worker, demoKey: string | undefined): void {
    this.started.add(worker);
    this.demoKey ??= demoKey;
    if (this.isPreparing && !this.stopping) {
      this.isPreparing = false;
      for (let others = 1; others < this.options.workers; others += 1) this.fork();
    }
    if (!this.isStarted && this.started.size < this.options.workers) return;
    for (const one of this.started) send(one, { mcs: 'all-started' });
    if (this.address !== undefined) this.allStarted.resolve({ address: this.address, demoKey: this.demoKey });
  }

  private fork(): void {
    const worker = cluster.fork({ ...this.options.variables, ...(this.isPreparing && this.options.preparing) });
    const forkedMs = this.clock.monotonicMs();
    // Sending to a worker that has just ended must not end this process.
    worker.on('error', () => undefined);
    if (!this.isStarted) void this.failStartAfter(worker);
    worker.on('listening', (address) => {
      this.address ??= address;
      this.serving.add(worker);
      this.failedStarts = 0;
    });
    worker.on('exit', () => {
      this.started.delete(worker);
      if (!this.serving.delete(worker)) this.failedStarts += 1;
      this.consecutiveCrashes = this.clock.monotonicMs() - forkedMs >= STABLE_MS ? 1 : this.consecutiveCrashes + 1;
    });
  }

  private async failStartAfter(worker: Worker): Promise<void> {
    // The reason may arrive after the exit: wait for the end of the channel, too.
    const [[code]] = await Promise.all([once(worker, 'exit') as Promise<[number | null]>, once(worker, 'disconnect')]);
    // A stop during the start is no failure, and a killed worker is replaced.
    if (!this.isStarted && !this.stopping && code !== null)
      this.startFailed.reject(
        new OperatorError(this.startFailure ?? `A worker ended with ${code} before all were ready.`, code),
      );
  }

  private replace(worker: Worker, code: number | null, signal: string | null): void {
    // All workers may crash at once for one reason, which is no loop yet.
    const pauseMs = restartBackoffMs(Math.ceil(this.consecutiveCrashes / this.options.workers));
    this.options.warn({ pid: worker.process.pid, code, signal, pauseMs }, 'a worker has ended and is replaced');
    const pause = setTimeout(() => {
      this.backoffs.delete(pause);
      this.fork();
    }, pauseMs);
    this.backoffs.add(pause);
  }
}

/** Milliseconds before a restart: none in the first round of crashes, then doubled each round. */
function restartBackoffMs(round: number): number {
  return round <= 1 ? 0 : Math.min(INITIAL_BACKOFF_MS * 2 ** (round - 2), MAX_BACKOFF_MS);
}

/**
 * Workers are asked to stop by a message: a signal may reach a worker twice, from here and from the terminal, and would
 * count as two.
 */
function send(worker: Worker, message: ClusterMessage): void {
  if (worker.isConnected()) worker.send(message);
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

/** The exit code, or null after a signal. */
async function ended(worker: Worker): Promise<number | null> {
  return new Promise((resolve) => worker.once('exit', resolve));
}
