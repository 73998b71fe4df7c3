import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { urgently } from '../../platform/database/urgency';
import { ReservationsRepository } from './reservations.repository';

const RELEASE_INTERVAL_MS = 60_000;
const BATCH = 100;

/**
 * Renews the reservations of this process while their evals run. Each is short-lived, so that a dead process blocks
 * nothing for long. Releases expired reservations, also of
 * inactive users; any number of processes may do so at once.
 */
@Injectable()
export class ActiveReservationsService
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly log = new Logger(ActiveReservationsService.name);
  /** When each expires at the latest, on the monotonic clock. */
  private readonly expiries = new Map<string, number>();
  private readonly ttlMs: number;
  private renewal: NodeJS.Timeout | undefined;
  private readonly release = new PeriodicTask({
    name: 'expired_reservations',
    pauseMs: RELEASE_INTERVAL_MS,
    runBatch: () => this.releaseBatch(),
    onFailure: (error) => this.log.warn(`Expired reservations could not be released now: ${String(error)}`),
  });

  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    { RESERVATION_TTL_SECONDS }: Config,
  ) {
    this.ttlMs = RESERVATION_TTL_SECONDS * 1000;
  }

  onModuleInit(): void {
    this.renewal = setInterval(() => void this.renew(), this.ttlMs / 3);
    this.renewal.unref();
  }

  onApplicationBootstrap(): void {
    this.release.start();
  }

  // While the database is still there.
  beforeApplicationShutdown(): Promise<void> {
    return this.release.stop();
  }

  // Not before: running evals are still drained until then.
  onApplicationShutdown(): void {
    clearInterval(this.renewal);
  }

  /** A reservation was made just now. */
  add(id: string): void {
    this.expiries.set(id, this.clock.monotonicMs() + this.ttlMs);
    this.metrics.reservationsOpen.set(this.expiries.size);
  }

  /** It is no longer needed. False when it was not, or was ended before. */
  end(id: string): boolean {
    const wasActive = this.expiries.delete(id);
    this.metrics.reservationsOpen.set(this.expiries.size);
    return wasActive;
  }

  /**
   * Renews all of them. A renewal that fails is no harm: an eval whose reservation is gone is settled by what is left
   * then.
   */
  async renew(): Promise<void> {
    const ids = [...this.expiries.keys()];
    if (ids.length === 0) return;
    const begunMs = this.clock.monotonicMs();
    try {
      await urgently(() => this.reservations.renew(ids, this.ttlMs / 1000));
    } catch {
      return;
    }
    const endedMs = this.clock.monotonicMs();
    for (const id of ids) this.noteRenewed(id, begunMs, endedMs);
  }

  private async releaseBatch(): Promise<boolean> {
    const users = await this.reservations.usersWithExpired(BATCH);
    for (const userId of users) await this.reservations.releaseExpired(userId);
    return users.length === BATCH;
  }

  private noteRenewed(id: string, begunMs: number, endedMs: number): void {
    const expiryMs = this.expiries.get(id);
    // Ended meanwhile.
    if (expiryMs === undefined) return;
    if (endedMs > expiryMs) this.metrics.reservationsRenewedLate.inc();
    this.expiries.set(id, begunMs + this.ttlMs);
  }
}
