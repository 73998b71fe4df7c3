import cluster from 'node:cluster';
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import { ALL_METRICS, Metrics, type MetricsQuestion } from '../common/metrics';

/** Coarse on purpose: the measurement itself wakes the process. */
const EVENT_LOOP_PRECISION_MS = 100;
/** Longer than the primary waits for its workers. */
const PATIENCE_MS = 6000;

/** The metrics of this process, or of all workers where there are several, and who may read them. */
@Injectable()
export class MetricsReport implements OnModuleDestroy {
  private readonly isWorker: boolean;
  private readonly waiting = new Map<string, (text: string | null) => void>();
  private readonly receive = (message: Partial<MetricsQuestion> | null): void => {
    if (message?.type === ALL_METRICS) this.waiting.get(message.id ?? '')?.(message.text ?? null);
  };

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {
    this.isWorker = cluster.isWorker && config.WEB_CONCURRENCY > 1;
    if (this.isOff) return;
    collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    if (this.isWorker) this.answerPrimary();
  }

  onModuleDestroy(): void {
    process.off('message', this.receive);
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
    return this.isWorker ? this.textOfAll() : this.metrics.registry.metrics();
  }

  private get isOff(): boolean {
    return this.config.METRICS_TOKEN === undefined && this.config.NODE_ENV === 'production';
  }

  private answerPrimary(): void {
    AggregatorRegistry.setRegistries([this.metrics.registry]);
    // Its constructor begins to answer the primary.
    new AggregatorRegistry();
    process.on('message', this.receive);
  }

  private async textOfAll(): Promise<string> {
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const text = await new Promise<string | null>((resolve) => {
      this.waiting.set(id, resolve);
      timer = setTimeout(() => resolve(null), PATIENCE_MS);
      process.send?.({ type: ALL_METRICS, id } satisfies MetricsQuestion, undefined, undefined, (error) => { if (error !== null) resolve(null); });
    });
    clearTimeout(timer);
    this.waiting.delete(id);
    if (text === null) throw new ApiError('unavailable', { message: 'The workers do not all answer.', retryAfterSeconds: 1 });
    return text;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
