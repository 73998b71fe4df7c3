import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import { Metrics } from '../common/metrics';
import { PrimaryChannel } from '../cluster/primary-channel';

/** Coarse on purpose: the measurement itself wakes the process. */
const EVENT_LOOP_PRECISION_MS = 100;
/** Defaults of prom-client that call themselves counters and are none; their sums can be had from the gauges that they sum up. */
const MISNAMED_GAUGES = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
/** Longer than the primary waits for its workers. */
const PRIMARY_TIMEOUT_MS = 6000;

/** The metrics of this process, or of all workers where there are several, and who may read them. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly primary: PrimaryChannel,
  ) {
    if (this.isOff) return;
    collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    for (const name of MISNAMED_GAUGES) metrics.registry.removeSingleMetric(name);
    if (primary.isOpen) this.answerPrimary();
  }

  /** Whether that header opens the metrics, compared in constant time. @throws ApiError not_found where they are off */
  admits(authorization: string | undefined): boolean {
    if (this.isOff) throw new ApiError('not_found');
    const { METRICS_TOKEN: expected } = this.config;
    if (expected === undefined) return true;
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), digest(expected));
  }

  /** In Prometheus' text format. @throws ApiError unavailable when the other workers cannot be asked */
  async text(): Promise<string> {
    if (!this.primary.isOpen) return this.metrics.registry.metrics();
    try {
      return String(await this.primary.request({ about: 'metrics-of-all' }, PRIMARY_TIMEOUT_MS));
    } catch (cause) {
      throw new ApiError('unavailable', { message: 'The workers do not all answer.', retryAfterSeconds: 1, cause });
    }
  }

  private get isOff(): boolean {
    return this.config.METRICS_TOKEN === undefined && this.config.NODE_ENV === 'production';
  }

  private answerPrimary(): void {
    AggregatorRegistry.setRegistries([this.metrics.registry]);
    // Its constructor begins to answer the primary.
    new AggregatorRegistry();
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
