import { createHash, timingSafeEqual } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { PrimaryChannel } from '../../platform/cluster/primary-channel';
import { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import { Metrics } from '../../platform/observability/metrics';
import { TASK_ROUNDS, type TaskRound } from '../../platform/background/periodic-task';

/** Resolution of the event loop monitor in milliseconds; coarse, because each sample wakes the process. */
const EVENT_LOOP_PRECISION_MS = 100;
/**
 * Default metrics of prom-client that are gauges despite their `_total` suffix; they are sums of other gauges, so
 * nothing is lost without them.
 */
const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];
/** Milliseconds to wait for the primary process. It waits 5 seconds for its workers. */
const PRIMARY_TIMEOUT_MS = 6000;

/** The metrics of this process, or of all workers of a cluster, and the check of who may read them. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly primary: PrimaryChannel,
  ) {
    if (this.isDisabled) return;
    collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    for (const name of MISNAMED_GAUGES) metrics.registry.removeSingleMetric(name);
    subscribe(TASK_ROUNDS, (round) => {
      const { task, isSuccess } = round as TaskRound;
      metrics.taskEnded(task, isSuccess);
    });
    if (primary.isOpen) this.answerPrimary();
  }

  /**
   * True if the one Authorization header carries METRICS_TOKEN, compared in constant time; two are none. Without a
   * token anyone may read. @throws ApiError not_found when metrics are disabled
   */
  isAuthorized(authorizations: readonly string[]): boolean {
    if (this.isDisabled) throw new ApiError('not_found');
    const { METRICS_TOKEN: expected } = this.config;
    if (expected === undefined) return true;
    const [authorization = ''] = authorizations.length === 1 ? authorizations : [];
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    return timingSafeEqual(digest(given), digest(expected));
  }

  /** All metrics in Prometheus text format. @throws ApiError unavailable when a worker does not respond */
  async text(): Promise<string> {
    if (!this.primary.isOpen) return this.metrics.registry.metrics();
    try {
      return await this.primary.metricsOfAll(PRIMARY_TIMEOUT_MS);
    } catch (cause) {
      throw new ApiError('unavailable', { message: 'Not every worker responded.', retryAfterSeconds: 1, cause });
    }
  }

  private get isDisabled(): boolean {
    return this.config.METRICS_TOKEN === undefined && this.config.NODE_ENV === 'production';
  }

  private answerPrimary(): void {
    AggregatorRegistry.setRegistries([this.metrics.registry]);
    // The constructor registers the message handler for the primary process.
    new AggregatorRegistry();
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
